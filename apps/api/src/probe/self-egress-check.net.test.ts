import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectError } from './connect-error.ts';
import { checkSelfEgress, confirmedBy } from './self-egress-check.ts';
import type { Transport } from './transport.ts';

// An echo that says what a test wants, wherever the call was to go.
let echo: Server;
let port: number;
let saw = '';
beforeAll(async () => {
  echo = createServer((_, reply) => reply.end(JSON.stringify({ address: saw }))).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  port = (echo.address() as AddressInfo).port;
});
afterAll(() => echo.close());

/** A way out by which some addresses are come to. */
const reaching = (addresses: string[], dead: string[] = []): Transport => ({
  open: async (_, { host }) => {
    if (dead.includes(host)) throw new ConnectError('site', 'timeout');
    return connect({ host: '127.0.0.1', port });
  },
  openProxy: () => Promise.reject(new ConnectError('proxy', 'timeout')),
  through: () => Promise.reject(new ConnectError('proxy', 'timeout')),
  resolve: async () => addresses,
  configuredEgress: [],
  allowed: () => true,
});
const look = (transport: Transport) =>
  checkSelfEgress(transport, new URL(`http://echo.example.test:${port}`), AbortSignal.timeout(20_000));

test.each<[string, string, string[], string[], Partial<Awaited<ReturnType<typeof checkSelfEgress>>>]>([
  ['an echo elsewhere shows the way out', '8.8.4.4', ['9.9.9.9'], [], { confirmed: [4], failed: [] }],
  ['one at our own address shows none', '9.9.9.9', ['9.9.9.9'], [], { confirmed: [], failed: [] }],
  ['nor does one that sees a private address', '10.0.0.7', ['9.9.9.9'], [], { confirmed: [], failed: [] }],
  ['nor one in a network of our own', '8.8.4.4', ['10.0.0.1'], [], { confirmed: [], failed: [] }],
  [
    'nor one that is called by IPv6 and sees IPv4',
    '8.8.4.4',
    ['2606:4700::7'],
    [],
    { confirmed: [], failed: [] },
  ],
  [
    'IPv4 says nothing of IPv6',
    '8.8.4.4',
    ['9.9.9.9', '2606:4700::7'],
    ['2606:4700::7'],
    { confirmed: [4], failed: [6] },
  ],
  [
    'another address of the family does',
    '8.8.4.4',
    ['9.9.9.8', '9.9.9.9'],
    ['9.9.9.8'],
    { confirmed: [4], failed: [] },
  ],
  ['an echo that is away', '8.8.4.4', ['9.9.9.9'], ['9.9.9.9'], { confirmed: [], failed: [4], own: [] }],
  ['an echo without a name', '8.8.4.4', [], [], { confirmed: [], failed: [], own: [] }],
])('%s', async (_, from, addresses, dead, expected) => {
  saw = from;
  expect(await look(reaching(addresses, dead))).toMatchObject(expected);
});

test('a proxy that was come to shows the way out, unless it stands where the console does', () => {
  const self = { echoAddresses: ['9.9.9.9'] };
  expect(confirmedBy([{ from: '10.0.0.7', to: '::ffff:8.8.4.4' }], self)).toEqual([4]);
  expect(confirmedBy([{ from: '2606:4700::1', to: '2606:4700::7' }], self)).toEqual([6]);
  expect(confirmedBy([{ from: '10.0.0.7', to: '9.9.9.9' }], self)).toEqual([]);
  expect(confirmedBy([{ from: '8.8.4.4', to: '8.8.4.4' }], self)).toEqual([]);
  expect(confirmedBy([{ from: '10.0.0.7', to: '10.0.0.8' }], self)).toEqual([]);
});
