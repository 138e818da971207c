import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { login } from '@propusk/contract/auth';
import { register } from '@propusk/contract/registration';
import { GATEWAY_SECRET, PASSWORD } from '@propusk/test-kit/api/api';
import { freePort } from '@propusk/test-kit/daemon';
import { type OwnServer, startOwnServer } from '@propusk/test-kit/faults/own-server';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Clients send a byte a second and never complete a request, while users sign in. */

const CLIENTS = quickOrSoak(200, 2_000);
/** The maximum durations of a slow head and a slow request: the server's timeout, plus its check interval and a margin. */
const [HEAD_MS, REQUEST_MS] = [quickOrSoak(18_000, 14_000), 36_000];
const LOGIN_MS = 1_000;

let server: OwnServer;
let folder: string;
let api: ApiProcess;
beforeAll(async () => {
  server = await startOwnServer();
  folder = await mkdtemp(join(tmpdir(), 'propusk-slow-'));
  api = await startApiProcess(await freePort(), {
    DATABASE_URL: server.url,
    SECRET_KEY: 'the sealing secret of slow clients, long enough to be taken',
    GATEWAY_SECRET,
    DATA_DIR: folder,
  });
});
afterAll(async () => {
  await api.kill();
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

const HEAD = 'POST /api/auth/login HTTP/1.1\r\nhost: x\r\n';
const unfinished = {
  head: `${HEAD}x-slow: `,
  body: `${HEAD}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"email":"`,
};

test('slow clients are disconnected in time and do not delay other users', () =>
  threatCase(
    'slow clients',
    'a byte a second, in the head or the body: disconnected after 10 s and 30 s; other users sign in meanwhile',
    async (tally) => {
      const account = { email: 'owner@slow.test', password: PASSWORD };
      const names = { name: 'Компания', companyName: 'Компания', companySite: 'slow.test' };
      await api.must(null, register, { body: { ...names, ...account } });
      let left = 30;
      const alone = await signIns(account, () => left-- > 0);
      const { port } = new URL(api.url);
      const heads = Array.from({ length: CLIENTS / 2 }, () => drip(Number(port), unfinished.head));
      const bodies = Array.from({ length: CLIENTS / 2 }, () => drip(Number(port), unfinished.body));
      const all = [...heads, ...bodies];
      await Promise.all(all.map(({ connected }) => connected));

      // The quick run waits only for the timeout of request heads. The soak run also waits for the longer timeout of bodies.
      const until = performance.now() + quickOrSoak(HEAD_MS, REQUEST_MS);
      const waited = quickOrSoak(heads, all);
      const beside = await signIns(
        account,
        () => performance.now() < until && waited.some(({ life }) => life() === null),
      );
      for (const [clients, most] of [
        [heads, HEAD_MS],
        [quickOrSoak([], bodies), REQUEST_MS],
      ] as const)
        for (const { life } of clients)
          tally.see((life() ?? Infinity) <= most, `hung up on after ${life()} ms`);
      for (const { socket } of all) socket.destroy();
      tally.note(
        `${CLIENTS} clients, ${beside.count} sign-ins, p99 ${Math.round(beside.p99)} ms, without them ${Math.round(alone.p99)} ms`,
      );
      expect(beside.count).toBeGreaterThan(quickOrSoak(3, 20));
      // The limit is relative to the latency without slow clients, because the machine may be busy.
      expect(beside.p99).toBeLessThan(Math.max(LOGIN_MS, alone.p99 * 3));
    },
  ));

/** Repeats a sign-in while the condition holds. @returns the number of sign-ins, and the 99th percentile of their time in ms */
async function signIns(body: { email: string; password: string }, more: () => boolean) {
  const times: number[] = [];
  while (more()) {
    const began = performance.now();
    await api.must(null, login, { body });
    times.push(performance.now() - began);
    await sleep(50);
  }
  times.sort((a, b) => a - b);
  return { count: times.length, p99: times[Math.ceil(times.length * 0.99) - 1] ?? Infinity };
}

/** A client that sends the given bytes, and then one byte each second. */
function drip(port: number, bytes: string) {
  const began = performance.now();
  let ended: number | null = null;
  const socket: Socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  const connected = new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  const drops = setInterval(() => socket.writable && socket.write('x'), 1_000);
  socket.on('error', () => {});
  socket.resume();
  socket.once('close', () => {
    clearInterval(drops);
    ended ??= Math.round(performance.now() - began);
  });
  return { socket, connected, life: () => ended };
}
