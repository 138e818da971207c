import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseNetworks } from './addresses.ts';
import { createDialer, type DialerOptions, dialByPromise, type Towards } from './dial.ts';
import type { FamilyChoice } from './family-order.ts';

/** Names with addresses of both families. The listener accepts both at one port. */
const hosts = new Map([
  ['dual.test', ['::1', '127.0.0.1']],
  ['four.test', ['127.0.0.1']],
  ['six.test', ['::1']],
  ['mixed.test', ['127.0.0.1', 'fd00::1']],
  // A TCP connection to a multicast address fails with ENETUNREACH, whatever the routes.
  ['lost4.test', ['224.0.0.1']],
  ['lost6.test', ['ff02::1']],
]);
const allowNetworks = parseNetworks('127.0.0.0/8,224.0.0.1/32,::1/128,ff02::1/128') ?? { v4: [], v6: [] };
const never = new AbortController().signal;

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((socket) => socket.destroy()).listen(0, '::');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/** @returns a function that dials a name, and answers the address that it reached, or the code of the error */
function dialing(options: Partial<DialerOptions> = {}) {
  const dial = dialByPromise(createDialer({ hosts, allowNetworks, ...options }));
  return (name: string, family: FamilyChoice = 0, towards: Towards = 'site', to = port, company = 1) =>
    dial(name, to, company, never, towards, family).then(
      (socket) => {
        const { remoteAddress } = socket;
        socket.destroy();
        return remoteAddress;
      },
      ({ code }) => code,
    );
}

test('a site is dialled by the families of GATEWAY_EGRESS alone, whatever the echo saw', async () => {
  const four = dialing({ egress: { v4: '127.0.0.7' } });
  expect([await four('six.test'), await four('six.test', 6), await four('[::1]')]).toEqual(
    Array.from({ length: 3 }, () => 'no_family'),
  );
  expect([await four('dual.test'), await four('dual.test', 6)]).toEqual(['127.0.0.1', '127.0.0.1']);
  const six = dialing({ egress: { v6: '::1' } });
  expect([await six('four.test', 4), await six('dual.test', 4)]).toEqual(['no_family', '::1']);
  const both = dialing({ egress: { v4: '127.0.0.7', v6: '::1' } });
  expect([await both('four.test', 6), await both('six.test', 4)]).toEqual(['127.0.0.1', '::1']);
});

test('without GATEWAY_EGRESS a site is dialled by the family that the echo saw, and by both when none is known', async () => {
  const dial = dialing();
  expect([await dial('six.test', 4), await dial('four.test', 6)]).toEqual(['no_family', 'no_family']);
  expect([await dial('dual.test', 4), await dial('dual.test', 6)]).toEqual(['127.0.0.1', '::1']);
  expect([await dial('six.test'), await dial('four.test')]).toEqual(['::1', '127.0.0.1']);
});

test("a company's proxy is dialled by any family", async () => {
  const dial = dialing({ egress: { v4: '127.0.0.7' } });
  expect(await dial('six.test', 4, 'upstream')).toBe('::1');
});

test('a refused address of a family that is not dialled refuses the name', async () => {
  expect(await dialing({ egress: { v4: '127.0.0.7' } })('mixed.test', 4)).toBe('address_refused');
});

test('a family that failed is tried last for 10 minutes, and IPv4 first otherwise', async () => {
  let clock = 1_000;
  const dial = dialing({ now: () => clock });
  expect(await dial('dual.test')).toBe('127.0.0.1');
  expect(await dial('lost4.test')).toBe('connect_failed');
  expect(await dial('dual.test')).toBe('::1');
  clock += 10 * 60_000 - 1;
  expect(await dial('dual.test')).toBe('::1');
  clock += 1;
  expect(await dial('dual.test')).toBe('127.0.0.1');
});

test("failed dials to one company's sites do not change the order of address families of another company", async () => {
  const dial = dialing();
  const of = (company: number, name: string) => dial(name, 0, 'site', port, company);
  expect(await of(1, 'lost4.test')).toBe('connect_failed');
  expect([await of(1, 'dual.test'), await of(2, 'dual.test')]).toEqual(['::1', '127.0.0.1']);
});

test('a family that failed is still tried, and its success makes it first again', async () => {
  const dial = dialing();
  await dial('lost4.test');
  expect(await dial('four.test')).toBe('127.0.0.1');
  expect(await dial('dual.test')).toBe('127.0.0.1');
  await dial('lost4.test');
  await dial('lost6.test');
  expect(await dial('dual.test')).toBe('127.0.0.1');
});

test('a failed family is followed by the other one within a dial', async () => {
  const both = new Map([['half.test', ['224.0.0.1', '::1']]]);
  const dial = dialing({ hosts: both });
  expect(await dial('half.test')).toBe('::1');
  expect(await dial('half.test', 4)).toBe('connect_failed');
});

test('a site that refuses the connection says nothing of its family', async () => {
  const dial = dialing();
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port: free } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  expect(await dial('four.test', 0, 'site', free)).toBe('connect_failed');
  expect(await dial('dual.test')).toBe('127.0.0.1');
});
