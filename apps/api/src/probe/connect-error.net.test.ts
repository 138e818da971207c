import { gatewayKeys } from '@propusk/access/gateway-secret';
import { parseNetworks } from '@propusk/dial/addresses';
import { freePort } from '@propusk/test-kit/daemon';
import { expect, test } from 'vitest';
import { diagnoseConnect } from './connect-error.ts';
import { createTransport } from './transport.ts';

const transport = createTransport({
  allowNetworks: parseNetworks('127.0.0.0/8') ?? { v4: [], v6: [] },
  hosts: new Map([['crm.example.test', ['127.0.0.1']]]),
  dns: [],
  egress: {},
  gatewayUrl: new URL('http://127.0.0.1:9'),
  keys: gatewayKeys('a secret of thirty-two characters'),
});
const openOutside = (host: string, port: number, signal = AbortSignal.timeout(5000)) =>
  transport.open({ kind: 'outside' }, { host, port }, signal);

test('the transport reports a refused connection when nothing listens on the port', async () => {
  await expect(openOutside('127.0.0.1', await freePort())).rejects.toMatchObject({
    reason: 'connection_refused',
  });
});

test('the transport reports connection_refused only for an IP address, not for a name', async () => {
  const port = await freePort();
  await expect(openOutside('127.0.0.1', port)).rejects.toMatchObject({
    where: 'site',
    reason: 'connection_refused',
  });
  await expect(openOutside('crm.example.test', port)).rejects.toMatchObject({ reason: 'connect_failed' });
  await expect(openOutside('10.0.0.1', port)).rejects.toMatchObject({ reason: 'address_refused' });
});

test('an aborted connection attempt rejects with the reason of the signal', async () => {
  await expect(openOutside('127.0.0.1', 1, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
});

test.each([
  ['ECONNREFUSED', 'connection_refused'],
  ['ENETUNREACH', 'no_route'],
  ['EADDRNOTAVAIL', 'no_route'],
  ['EACCES', 'no_route'],
  ['EHOSTUNREACH', 'connect_failed'],
  ['ETIMEDOUT', 'connect_failed'],
  [undefined, 'connect_failed'],
])('diagnoseConnect classifies the system error %s as %s', (errno, reason) =>
  expect(diagnoseConnect(errno)).toBe(reason),
);
