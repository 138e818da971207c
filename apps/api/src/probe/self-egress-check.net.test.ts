import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectError } from './connect-error.ts';
import { checkSelfEgress, confirmedBy } from './self-egress-check.ts';
import type { Transport } from './transport.ts';

// An echo endpoint that returns a chosen address to every connection.
let echo: Server;
let port: number;
let saw = '';
beforeAll(async () => {
  echo = createServer((_, reply) => reply.end(JSON.stringify({ address: saw }))).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  port = (echo.address() as AddressInfo).port;
});
afterAll(() => echo.close());

/** A transport that resolves every name to `addresses`. Connections to `dead` addresses time out. */
const reaching = (addresses: string[], dead: string[] = []): Transport => ({
  open: async (_, { host }) => {
    if (dead.includes(host)) throw new ConnectError('site', 'timeout');
    return connect({ host: '127.0.0.1', port });
  },
  openProxy: () => Promise.reject(new ConnectError('proxy', 'timeout')),
  through: () => Promise.reject(new ConnectError('proxy', 'timeout')),
  resolve: async () => addresses,
  configuredEgress: [],
  localEgress: async () => [],
  gatewayHidesOnLoopback: async () => false,
  allowed: () => true,
});
const look = (transport: Transport) =>
  checkSelfEgress({
    transport,
    echoUrl: new URL(`http://echo.example.test:${port}`),
    stop: AbortSignal.timeout(20_000),
  });

test.each<[string, string, string[], string[], Partial<Awaited<ReturnType<typeof checkSelfEgress>>>]>([
  ['an external echo confirms IPv4', '8.8.4.4', ['9.9.9.9'], [], { confirmed: [4], failed: [] }],
  ['an echo at our own address confirms nothing', '9.9.9.9', ['9.9.9.9'], [], { confirmed: [], failed: [] }],
  [
    'an echo that sees a private address confirms nothing',
    '10.0.0.7',
    ['9.9.9.9'],
    [],
    { confirmed: [], failed: [] },
  ],
  [
    'an echo in a private network confirms nothing',
    '8.8.4.4',
    ['10.0.0.1'],
    [],
    { confirmed: [], failed: [] },
  ],
  [
    'an echo reached by IPv6 that sees IPv4 confirms nothing',
    '8.8.4.4',
    ['2606:4700::7'],
    [],
    { confirmed: [], failed: [] },
  ],
  [
    'a reachable IPv4 does not confirm IPv6',
    '8.8.4.4',
    ['9.9.9.9', '2606:4700::7'],
    ['2606:4700::7'],
    { confirmed: [4], failed: [6] },
  ],
  [
    'a second address of the family confirms it',
    '8.8.4.4',
    ['9.9.9.8', '9.9.9.9'],
    ['9.9.9.8'],
    { confirmed: [4], failed: [] },
  ],
  [
    'an unreachable echo fails its family',
    '8.8.4.4',
    ['9.9.9.9'],
    ['9.9.9.9'],
    { confirmed: [], failed: [4], own: [] },
  ],
  ['an echo without DNS records confirms nothing', '8.8.4.4', [], [], { confirmed: [], failed: [], own: [] }],
])(
  'checkSelfEgress derives this machine’s internet access from echo calls: %s',
  async (_, from, addresses, dead, expected) => {
    saw = from;
    expect(await look(reaching(addresses, dead))).toMatchObject(expected);
  },
);

test('a connection confirms internet access only if it leads to a public address of another machine', () => {
  const self = { echoAddresses: ['9.9.9.9'] };
  expect(confirmedBy([{ from: '10.0.0.7', to: '::ffff:8.8.4.4' }], self)).toEqual([4]);
  expect(confirmedBy([{ from: '2606:4700::1', to: '2606:4700::7' }], self)).toEqual([6]);
  expect(confirmedBy([{ from: '10.0.0.7', to: '9.9.9.9' }], self)).toEqual([]);
  expect(confirmedBy([{ from: '8.8.4.4', to: '8.8.4.4' }], self)).toEqual([]);
  expect(confirmedBy([{ from: '10.0.0.7', to: '10.0.0.8' }], self)).toEqual([]);
});
