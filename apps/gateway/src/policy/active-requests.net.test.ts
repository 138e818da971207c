import { connect } from 'node:net';
import { freePort } from '@propusk/test-kit/daemon';
import { curl, get, openTunnel, raw, statusAndReason } from '@propusk/test-kit/gateway/client';
import {
  authorization,
  company,
  credentials,
  DIRECT,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** A revocation aborts the requests and tunnels that it concerns, at any stage, and no others. */

const me = credentials(1);
let world: World;
let host: string;

beforeEach(async () => {
  world = await startWorld((port) => [
    company([`crm.company.test:${port}`]),
    company([`wiki.company.test:${port}`], { id: 2 }),
  ]);
  host = `crm.company.test:${world.origin.port}`;
});
afterEach(() => world[Symbol.asyncDispose]());

/**
 * Opens a tunnel and a plain request to a site that sends endless content. @returns both, and when the
 * gateway ended them
 */
async function carrying() {
  const tunnel = await openTunnel(world.port, me, host, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');
  let ended = false;
  let heard = '';
  const plain = connect(world.port, '127.0.0.1').on('error', () => {});
  plain.setEncoding('latin1').on('data', (data: string) => (heard += data));
  plain.write(`GET http://${host}/drip HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`);
  const response = new Promise<string>((resolve) => plain.once('close', () => resolve(heard))).finally(
    () => (ended = true),
  );
  await until(() => tunnel.got().includes('drop') && heard.includes('drop'));
  await until(() => world.gateway.activeRequests() === 2);
  return { tunnel, response, ended: () => ended && tunnel.socket.destroyed };
}

const changes: [string, (version: number) => void, string][] = [
  ['the policy lost the user', (version) => publish({ version, users: [2] }), '403 no_policy'],
  ['the user is gone', (version) => publish({ version, without: true }), '403 user_removed'],
  ['the password was changed', (version) => publish({ version, epoch: 2 }), '407 expired'],
  ['the site is gone', (version) => publish({ version, sites: [] }), '403 site_unknown'],
  ['the company is gone', () => world.feed.forget(1), '403 user_removed'],
];

function publish(change: {
  version: number;
  users?: number[];
  epoch?: number;
  sites?: string[];
  without?: boolean;
}) {
  const next = company(change.sites ?? [host], change);
  world.feed.publish(
    change.without === true ? { ...next, users: next.users.filter(({ id }) => id !== 1) } : next,
  );
}

test.each(changes)('tunnel and response end within a second when %s', async (_, change, expected) => {
  const { response, ended } = await carrying();
  const foreign = await openTunnel(world.port, credentials(11), `wiki.company.test:${world.origin.port}`);
  expect(foreign.status).toBe(200);
  change(2);
  await until(ended, 1_000);
  expect(await response).toMatch(/^HTTP\/1\.1 200/);
  expect(statusAndReason(await get(world.port, me, `http://${host}/`))).toBe(expected);
  expect(statusAndReason((await openTunnel(world.port, me, host)).head)).toBe(expected);
  await until(() => world.origin.open() <= 1);
  // Another company's tunnel stays open.
  foreign.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => foreign.got().includes('hello from wiki.company.test'));
  foreign.socket.destroy();
});

test('tunnel and response end when the egress proxy changes', async () => {
  const { ended } = await carrying();
  const proxy = {
    ...DIRECT,
    id: 7,
    type: 'users',
    direct: false,
    host: '127.0.0.1',
    port: await freePort(),
  } as const;
  world.feed.publish(company([host], { version: 2, proxy }));
  await until(ended, 1_000);
  expect(statusAndReason(await get(world.port, me, `http://${host}/`))).toBe('502 upstream_failed');
});

test('tunnel and response end when the token expires', async () => {
  const brief = credentials(1, { expires: Math.ceil(Date.now() / 1000) + 1 });
  const tunnel = await openTunnel(world.port, brief, host, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(tunnel.status).toBe(200);
  await until(() => tunnel.socket.destroyed);
  expect(statusAndReason((await openTunnel(world.port, brief, host)).head)).toBe('407 expired');
});

describe('unaffected tunnels', () => {
  test('tunnel and response continue when an unrelated site changes', async () => {
    const { tunnel, ended } = await carrying();
    world.feed.publish(company([host, 'more.company.test'], { version: 2 }));
    await until(() => world.gateway.index.companies.get(1)?.version === 2);
    const before = tunnel.got().length;
    await until(() => tunnel.got().length > before + 50);
    expect(ended()).toBe(false);
    tunnel.socket.destroy();
  });
});

test('the gateway enforces each of 200 policy changes in a row within a second', async () => {
  const times: number[] = [];
  for (let version = 2; version < 202; version++) {
    const tunnel = await openTunnel(world.port, me, host);
    expect(tunnel.status).toBe(200);
    const elapsed = stopwatch();
    world.feed.publish(company([host], { version, users: [2] }));
    await tunnel.closed;
    times.push(elapsed());
    version += 1;
    world.feed.publish(company([host], { version }));
    await until(() => world.gateway.index.companies.get(1)?.version === version);
  }
  expect(Math.max(...times)).toBeLessThan(1_000);
});

test('a request whose access is revoked while it waits for the site gets a 403, not a closed connection', async () => {
  const silent = raw(
    world.port,
    `POST http://${host}/waits HTTP/1.1\r\nHost: x\r\n${authorization(me)}Content-Length: 10\r\nConnection: close\r\n\r\nhalf`,
  );
  await until(() => world.origin.open() === 1);
  publish({ version: 2, users: [2] });
  expect(statusAndReason(await silent)).toBe('403 no_policy');
});

test('curl gets a 403 as soon as the gateway has received the revocation', async () => {
  expect((await curl(world.port, me, `http://${host}`)).status).toBe(200);
  publish({ version: 2, users: [2] });
  await until(() => world.gateway.index.companies.get(1)?.version === 2);
  expect((await curl(world.port, me, `http://${host}`)).status).toBe(403);
});
