import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints } from '@propusk/contract/endpoints';
import { register } from '@propusk/contract/registration';
import { listSites } from '@propusk/contract/sites';
import { GATEWAY_SECRET, PASSWORD } from '@propusk/test-kit/api/api';
import { freePort } from '@propusk/test-kit/daemon';
import { type OwnServer, startOwnServer } from '@propusk/test-kit/faults/own-server';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { neverRead, pipelined, warmUp } from '@propusk/test-kit/gateway/attack-clients';
import { ask, during, measure } from '@propusk/test-kit/gateway/latency';
import { checkLatency, checkMemory, measureAgain } from '@propusk/test-kit/gateway/overload-bars';
import { residentBytes, watchProcess } from '@propusk/test-kit/gateway/resources';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, test } from 'vitest';

/** Clients pipeline requests to every public route and read no response, while ordinary users use the console. */

const HEAP_MB = 512;
const CLIENTS = quickOrSoak(100, 1_000);
const [CALM_MS, ATTACK_MS] = [quickOrSoak(2_000, 20_000), quickOrSoak(4_000, 60_000)];
/**
 * A rise of the 99th percentile of latency by up to this many milliseconds never fails the test. The limit of a quick run is
 * higher, because other tests use the machine at the same time.
 */
const FLOOR_MS = quickOrSoak(400, 50);
/** Node reads at most this many bytes from a socket at once. */
const CHUNK = 65_000;

let server: OwnServer;
let folder: string;
let api: ApiProcess;
let port: number;
let owner: string;
beforeAll(async () => {
  server = await startOwnServer();
  folder = await mkdtemp(join(tmpdir(), 'propusk-never-read-'));
  port = await freePort();
  const env = {
    DATABASE_URL: server.url,
    SECRET_KEY: 'the sealing secret of clients that never read',
    GATEWAY_SECRET,
    DATA_DIR: folder,
  };
  api = await startApiProcess(port, env, HEAP_MB);
  const names = { name: 'Компания', companyName: 'Компания', companySite: 'never.test' };
  const account = { ...names, email: 'owner@never.test', password: PASSWORD };
  owner = (await api.must(null, register, { body: account })).token;
});
afterAll(async () => {
  await api.kill();
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

test(
  'clients that pipeline requests to every public route and never read use bounded memory and do not delay other users',
  () =>
    threatCase(
      'clients that never read',
      `every public route of the api, ${CLIENTS} clients, heap of ${HEAP_MB} MB`,
      async (tally) => {
        const routes = await publicRoutes();
        await warmUp(port, routes);
        const calm = await neighbours(CALM_MS);
        const base = residentBytes(api.pid());
        for (const { name, payloads, clients, ms } of groups(routes))
          await measureAgain(tally, async (round) => {
            const watched = watchProcess(api.pid());
            const attack = await neverRead(port, clients, payloads);
            const beside = await neighbours(ms);
            const [sent, connections] = [attack.sent(), attack.connections()];
            attack.stop();
            watched.stop();
            checkMemory(round, name, { base, peak: watched.peak(), sent, connections }, api.ended());
            checkLatency(round, 'the first page', calm.page, beside.page, FLOOR_MS);
            checkLatency(round, 'a list', calm.list, beside.list, FLOOR_MS);
          });
      },
    ),
  quickOrSoak(240_000, 900_000),
);

/**
 * Returns the loads to run. The soak loads each route alone and then all routes together; a quick run only
 * loads all routes together.
 */
function groups(routes: readonly string[]) {
  const payloads = routes.map((each) => pipelined(each, CHUNK));
  const nameOf = (request: string) => request.slice(0, request.indexOf(' HTTP'));
  const alone = routes.map((each, n) => ({
    name: nameOf(each),
    payloads: payloads.slice(n, n + 1),
    clients: 100,
    ms: 5_000,
  }));
  return [...quickOrSoak([], alone), { name: 'all routes', payloads, clients: CLIENTS, ms: ATTACK_MS }];
}

/** A request to each public route, to a route that needs a token, and to unknown routes. */
async function publicRoutes(): Promise<string[]> {
  const assets = new URL('../../../web/dist/assets/', import.meta.url);
  const names = await readdir(assets).catch(() => []);
  const asset = names.find((name) => name.endsWith('.js')) ?? 'none.js';
  const pages = [
    '/',
    '/login',
    '/api/docs',
    '/api/docs/json',
    '/api/docs/yaml',
    '/api/nothing',
    '/nothing.js',
  ];
  const files = [`/assets/${asset}`, '/downloads/propusk-chromium.zip', '/downloads/propusk-firefox.zip'];
  const open = endpoints.filter(({ access }) => access === 'public' || access === 'maybe-signed-in');
  const calls = [...open, listSites].map(
    ({ method, path }) => [method, `/api${path.replaceAll(/:\w+/g, '1')}`] as const,
  );
  return [
    ...[...pages, ...files].map((path) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`),
    ...['gzip', 'br'].map(
      (name) => `GET /api/docs/json HTTP/1.1\r\nhost: x\r\naccept-encoding: ${name}\r\n\r\n`,
    ),
    ...calls.map(([method, path]) => {
      const body = method === 'GET' ? '' : 'content-type: application/json\r\ncontent-length: 2\r\n';
      return `${method} ${path} HTTP/1.1\r\nhost: x\r\n${body}\r\n${body === '' ? '' : '{}'}`;
    }),
  ];
}

/** Users who open the console and a list, each time on a new connection. */
async function neighbours(ms: number) {
  const wanted = during(ms);
  const [page, list] = await Promise.all([
    measure(() => ask(port, '/'), wanted, { parallel: 4 }),
    measure(() => ask(port, `/api${listSites.path}`, { token: owner }), wanted, { parallel: 4 }),
  ]);
  return { page, list };
}
