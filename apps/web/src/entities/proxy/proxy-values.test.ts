import { AdminProxyChange, type Proxy, ProxyChange } from '@propusk/contract/proxies';
import { expect, test } from 'vitest';
import { changes } from '../../forms/changes.ts';
import { passwordOfAddress, proxyValues } from './proxy-values.ts';

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

test('the untouched form of a stored proxy is valid and changes nothing, not even the password', () => {
  const values = proxyValues(proxy);
  expect(changes(values, ProxyChange.parse(values))).toEqual({});
});

test('the form of a proxy sends the port only when it differs from the stored one', () => {
  const values = proxyValues(proxy);
  expect(changes(values, ProxyChange.parse({ ...values, port: ' 3128 ' }))).toEqual({});
  expect(changes(values, ProxyChange.parse({ ...values, port: '3129' }))).toEqual({ port: 3129 });
});

test("an ADMIN's change of a proxy's flag allSites also sends the stored type", () => {
  const values = { ...proxyValues(proxy), settings: proxy.settings };
  const body = AdminProxyChange.parse({ ...values, settings: { ...proxy.settings, allSites: true } });
  expect(changes(values, body)).toEqual({ settings: { type: 'payment', allSites: true } });
});

test('a new address of a proxy needs the password, but another spelling of the same address does not', () => {
  const schema = ProxyChange.check(passwordOfAddress(proxy));
  const values = proxyValues(proxy);
  const faults = (typed: object) => schema.safeParse({ ...values, ...typed }).error?.issues ?? [];
  for (const address of [{ host: 'proxy2.company.ru' }, { port: '3129' }]) {
    expect(faults(address)).toMatchObject([{ path: ['password'] }]);
    expect(faults({ ...address, password: 'new secret' })).toEqual([]);
  }
  for (const address of [{ host: 'PROXY.company.ru' }, { port: ' 3128 ' }])
    expect(faults(address)).toEqual([]);
});
