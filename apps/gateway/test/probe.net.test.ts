import {
  gatewayKeys,
  type ProbeToken,
  signGatewayToken,
  signProbeToken,
} from '@propusk/access/gateway-secret';
import { curl, get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import {
  company,
  credentials,
  OTHER_SECRET,
  SECRET,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The api's probe token: it opens only the target it was signed for, and no one else can use or forge it. */

let world: World;
let host: string;

beforeAll(async () => {
  world = await startWorld((port) => [company([`crm.company.test:${port}`])], { SNAPSHOT_MAX_AGE: '1' });
  host = `wiki.company.test:${world.origin.port}`;
});
afterAll(() => world[Symbol.asyncDispose]());

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** `name:password` of a probe of the wiki, a site of no company. */
function probe({ name = 'probe', secret = SECRET, ...claims }: Partial<ProbeToken> & Who = {}): string {
  const token = { host: 'wiki.company.test', port: world.origin.port, expires: inSeconds(60), ...claims };
  return `${name}:${signProbeToken(gatewayKeys(secret), token)}`;
}
interface Who {
  name?: string;
  secret?: string;
}

const ask = async (who: string, authority = host) => [
  statusAndReason(await get(world.port, who, `http://${authority}/`)),
  statusAndReason((await openTunnel(world.port, who, authority)).head),
];

test('a probe reaches its target in both request forms, by any spelling of its name', async () => {
  expect((await curl(world.port, probe(), `http://${host}/`)).body).toBe(`hello from ${host}`);
  const tunnelled = await curl(world.port, probe(), '--proxytunnel', `http://${host}/`);
  expect(tunnelled).toMatchObject({ status: 200, connectStatus: 200 });
  expect(await ask(probe(), host.toUpperCase())).toEqual(['200', '200']);
});

test.each<[string, () => string, string]>([
  ['another host', () => `crm.company.test:${world.origin.port}`, '403 no_policy'],
  ['a name below it', () => `a.wiki.company.test:${world.origin.port}`, '403 no_policy'],
  ['its www.', () => `www.wiki.company.test:${world.origin.port}`, '403 no_policy'],
  ['another port', () => 'wiki.company.test:443', '403 no_policy'],
  ['an address', () => `127.0.0.1:${world.origin.port}`, '400 bad_host'],
])('a probe does not reach %s', async (_, authority, expected) => {
  const before = world.origin.connections();
  expect(await ask(probe(), authority())).toEqual([expected, expected]);
  expect(world.origin.connections()).toBe(before);
});

test.each<[string, () => string, string]>([
  ['an expired token', () => probe({ expires: inSeconds(-1) }), '407 expired'],
  ['a token of another secret', () => probe({ secret: OTHER_SECRET }), '407 bad_credentials'],
  ['a token changed to another port', () => probe().replace(/:\d+\./, ':443.'), '407 bad_credentials'],
  ["a probe token under a user's name", () => probe({ name: 'u1' }), '407 bad_credentials'],
  ["a user token under the probe's name", () => credentials(1, { username: 'probe' }), '407 bad_credentials'],
  [
    'a probe token signed with the user key',
    () => {
      const keys = gatewayKeys(SECRET);
      const forged = { ...keys, probe: keys.token };
      return `probe:${signProbeToken(forged, { host: 'wiki.company.test', port: world.origin.port, expires: inSeconds(60) })}`;
    },
    '407 bad_credentials',
  ],
  [
    'a user token signed with the probe key',
    () => {
      const keys = gatewayKeys(SECRET);
      const forged = { ...keys, token: keys.probe };
      return `u1:${signGatewayToken(forged, { userId: 1, epoch: 1, expires: inSeconds(60) })}`;
    },
    '407 bad_credentials',
  ],
])('a probe is refused with %s', async (_, who, expected) => {
  const before = world.origin.connections();
  expect(await ask(who())).toEqual([expected, expected]);
  expect(world.origin.connections()).toBe(before);
});

test("a probe cannot reach the gateway's own listener", async () => {
  const own = { host: 'wiki.company.test', port: world.port };
  const refused = ['403 address_refused', '403 address_refused'];
  expect(await ask(probe(own), `wiki.company.test:${world.port}`)).toEqual(refused);
});

test('a probe survives policy changes and a stale snapshot, but not its own expiry', async () => {
  const brief = probe({ expires: inSeconds(4) });
  const tunnel = await openTunnel(world.port, brief, host, `GET /drip HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await until(() => tunnel.got().includes('drop'));
  world.feed.publish(company([], { version: 2 }));
  await until(() => world.gateway.index.companies.get(1)?.version === 2);
  await world.feed.stop();
  await until(() => world.gateway.stale());
  expect(await ask(credentials(1))).toEqual(['503 snapshot_stale', '503 snapshot_stale']);
  expect(await ask(probe())).toEqual(['200', '200']);
  const before = tunnel.got().length;
  await until(() => tunnel.got().length > before);
  await until(() => tunnel.socket.destroyed);
  expect(await ask(brief)).toEqual(['407 expired', '407 expired']);
  await world.feed.start();
});
