import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { parseNetworks } from './addresses.ts';
import { OwnMachine, type OwnMachineOptions } from './own-machine.ts';

const DATABASE = 5432;
const PANEL = 8080;
/** An address of an interface of this machine that is not loopback; undefined without a network. */
const local = Object.values(networkInterfaces())
  .flatMap((list = []) => list)
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

function machine(networks: string, more: Partial<OwnMachineOptions> = {}): OwnMachine {
  const allowNetworks = networks === '' ? { v4: [], v6: [] } : parseNetworks(networks);
  if (allowNetworks === null) throw new Error('Invalid networks');
  return new OwnMachine({
    ...{ allowNetworks, ownAddresses: ['203.0.113.5'], ownPorts: new Set([DATABASE]) },
    ...more,
  });
}

const own = ['203.0.113.5', '::ffff:203.0.113.5', '127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::'];
if (local !== undefined) own.push(local);

test.each(own)('only ports 80 and 443 of %s, an address of this machine, are allowed', (address) => {
  const refuses = (port: number) => machine('').refuses('a.test', [address], port);
  expect([80, 443, PANEL, DATABASE, 22].map(refuses)).toEqual([false, false, true, true, true]);
});

test('connections to every port of another machine are allowed', () =>
  expect([22, DATABASE].map((port) => machine('').refuses('a.test', ['203.0.113.6'], port))).toEqual([
    false,
    false,
  ]));

test('a connection is refused when one of the addresses of the host is an address of this machine', () =>
  expect(machine('').refuses('a.test', ['203.0.113.6', '203.0.113.5'], PANEL)).toBe(true));

test.each([
  ['203.0.113.5/32', '203.0.113.5', false],
  ['127.0.0.0/8', '127.0.0.1', false],
  ['::1/128', '::1', false],
  ['203.0.113.0/24', '203.0.113.5', true],
  ['0.0.0.0/0', '127.0.0.1', true],
  ['127.0.0.0/8', '203.0.113.5', true],
])(
  'with GATEWAY_ALLOW_NETWORKS=%s a connection to port 8080 of %s is refused: %s',
  (networks, address, expected) => {
    expect(machine(networks).refuses('a.test', [address], PANEL)).toBe(expected);
    expect(machine(networks).refuses('a.test', [address], DATABASE)).toBe(true);
  },
);

test('connections to the host and port of the echo endpoint are allowed', () => {
  const echoUrl = 'https://pass.test:8443';
  const refuses = (host: string) =>
    machine('', { echoUrl, ownPorts: new Set([8443]) }).refuses(host, ['203.0.113.5'], 8443);
  expect([refuses('pass.test'), refuses('other.test')]).toEqual([false, true]);
});

test.each([
  ['0.0.0.0', 443, [true, true, true]],
  ['::', 80, [true, true, true]],
  ['203.0.113.5', 443, [true, true, false]],
  ['::ffff:203.0.113.5', 443, [true, true, false]],
  ['203.0.113.5', 3129, [true, true, true]],
])('with a listener at %s port %d, connections to its port are refused: %j', (address, port, expected) => {
  const networks = '203.0.113.5/32,127.0.0.0/8';
  const refuses = (host: string) =>
    machine(networks, { ownListener: () => ({ address, port }) }).refuses('a.test', [host], port);
  expect(['203.0.113.5', '::ffff:203.0.113.5', '127.0.0.1'].map(refuses)).toEqual(expected);
});
