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

test('an untouched form is valid and changes nothing, not even the password', () => {
  const values = proxyValues(proxy);
  expect(changes(values, ProxyChange.parse(values))).toEqual({});
});

test('a retyped equal port is no change, another port is one', () => {
  const values = proxyValues(proxy);
  expect(changes(values, ProxyChange.parse({ ...values, port: ' 3128 ' }))).toEqual({});
  expect(changes(values, ProxyChange.parse({ ...values, port: '3129' }))).toEqual({ port: 3129 });
});

test("an admin's change of the flag also sends the stored type", () => {
  const values = { ...proxyValues(proxy), settings: proxy.settings };
  const body = AdminProxyChange.parse({ ...values, settings: { ...proxy.settings, allSites: true } });
  expect(changes(values, body)).toEqual({ settings: { type: 'payment', allSites: true } });
});
