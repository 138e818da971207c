import { AdminProxyChange, type Proxy, ProxyChange } from '@propusk/contract/proxies';
import { expect, test } from 'vitest';
import { changes } from '../../common/changes.ts';
import { proxyValues } from './proxy-values.ts';

const proxy: Proxy = {
  id: 7,
  host: 'proxy.company.ru',
  port: '3128',
  username: 'login',
  direct: false,
  settings: { type: 'payment', allSites: false },
  company: null,
  version: 2,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
};

test('an untouched form is valid and changes nothing, the password neither', () => {
  const values = proxyValues(proxy);
  expect(changes(values, ProxyChange.parse(values))).toEqual({});
});

test('a port that was typed again as it was is no change; another is', () => {
  const values = proxyValues(proxy);
  expect(changes(values, ProxyChange.parse({ ...values, port: ' 3128 ' }))).toEqual({});
  expect(changes(values, ProxyChange.parse({ ...values, port: '3129' }))).toEqual({ port: 3129 });
});

test('with the flag an admin sends the type that is there', () => {
  const values = { ...proxyValues(proxy), settings: proxy.settings };
  const body = AdminProxyChange.parse({ ...values, settings: { ...proxy.settings, allSites: true } });
  expect(changes(values, body)).toEqual({ settings: { type: 'payment', allSites: true } });
});
