import { gatewayKeys } from '@propusk/access/gateway-secret';
import { parseNetworks } from '@propusk/dial/addresses';
import { freePort } from '@propusk/test-kit/gateway/upstreams';
import { expect, test } from 'vitest';
import { diagnoseConnect, reasonOf } from './diagnose-connect.ts';
import { createTransport } from './transport.ts';

test('a port that nobody listens on has refused by itself', async () => {
  const signal = AbortSignal.timeout(5000);
  expect(await diagnoseConnect('127.0.0.1', await freePort(), signal)).toBe('connection_refused');
});

test('the way out says so of an address that was dialled, and of no other', async () => {
  const transport = createTransport({
    allowNetworks: parseNetworks('127.0.0.0/8') ?? { v4: [], v6: [] },
    hosts: new Map([['crm.example.test', ['127.0.0.1']]]),
    dns: [],
    egress: {},
    gatewayUrl: new URL('http://127.0.0.1:9'),
    keys: gatewayKeys('a secret of thirty-two characters'),
  });
  const port = await freePort();
  const open = (host: string) =>
    transport.open({ kind: 'outside' }, { host, port }, AbortSignal.timeout(5000));
  await expect(open('127.0.0.1')).rejects.toMatchObject({ where: 'site', reason: 'connection_refused' });
  await expect(open('crm.example.test')).rejects.toMatchObject({ reason: 'connect_failed' });
  await expect(open('10.0.0.1')).rejects.toMatchObject({ reason: 'address_refused' });
});

test('ends with its signal', async () => {
  await expect(diagnoseConnect('127.0.0.1', 1, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
});

test.each([
  ['ECONNREFUSED', 'connection_refused'],
  ['ENETUNREACH', 'no_route'],
  ['EADDRNOTAVAIL', 'no_route'],
  ['EACCES', 'no_route'],
  ['EHOSTUNREACH', 'connect_failed'],
  ['ETIMEDOUT', 'connect_failed'],
  ['', 'connect_failed'],
])('%s is %s', (code, reason) => expect(reasonOf(code)).toBe(reason));
