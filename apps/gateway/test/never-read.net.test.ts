import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@propusk/test-kit/daemon';
import { neverRead, pipelined, warmUp } from '@propusk/test-kit/gateway/attack-clients';
import { get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { type FeedServer, startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { type FloodOrigin, forkFloodOrigin } from '@propusk/test-kit/gateway/flood-origin';
import { type Attackers, agentForms, strangerForms } from '@propusk/test-kit/gateway/gateway-attacks';
import { type GatewayProcess, startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { during, measure } from '@propusk/test-kit/gateway/latency';
import { checkLatency, checkMemory, measureAgain } from '@propusk/test-kit/gateway/overload-bars';
import { residentBytes, watchProcess } from '@propusk/test-kit/gateway/resources';
import { company, credentials, SECRET, untilMetric } from '@propusk/test-kit/gateway/world';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, test } from 'vitest';

/** Clients pipeline requests of every form and never read the responses, while an agent of another company works. */

const HEAP_MB = 512;
const CLIENTS = quickOrSoak(100, 1_000);
const [CALM_MS, ATTACK_MS] = [quickOrSoak(1_500, 20_000), quickOrSoak(3_000, 60_000)];
/**
 * Milliseconds that a busy machine adds to the p99 latency. In the quick run clients, sites and gateway
 * share two cores for three seconds: the test then catches only a loop that starves others for seconds.
 */
const FLOOR_MS = quickOrSoak(1_500, 50);
/** Bytes of requests that one client sends at most. A tunnel, a body or a head in pieces is sent once, whatever its size. */
const BYTES = 260_000;

const SITE = 'crm.company.test';
const NEIGHBOUR_SITE = 'wiki.company.test';
const neighbour = credentials(11);
let folder: string;
let feed: FeedServer;
let origin: FloodOrigin;
/** The neighbour's site, which no attack reaches. */
let calmOrigin: FloodOrigin;
let gateway: GatewayProcess;
let attackers: Attackers;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-never-read-'));
  [origin, calmOrigin] = await Promise.all([forkFloodOrigin(), forkFloodOrigin()]);
  feed = await startFeedServer(SECRET);
  feed.publish(company([`${SITE}:${origin.http}`, `${SITE}:${origin.raw}`]));
  feed.publish(company([`${NEIGHBOUR_SITE}:${calmOrigin.http}`], { id: 2 }));
  attackers = { agent: credentials(1), site: SITE, origin };
});
afterAll(async () => {
  await feed.stop();
  await origin.stop();
  await calmOrigin.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['strangers', strangerForms],
  ['agents', agentForms],
] as const)(
  '%s who pipeline requests of every form and never read take neither memory nor time from others',
  (who, formsOf) =>
    threatCase(
      'clients that never read',
      `every form of the gateway, by ${who}: ${CLIENTS} clients, heap of ${HEAP_MB} MB`,
      async (tally) => {
        const metricsPort = await freePort();
        const env = { API_URL: feed.url, DATA_DIR: folder, GATEWAY_METRICS_PORT: String(metricsPort) };
        gateway = await startGatewayProcess(env, HEAP_MB);
        try {
          await untilMetric(metricsPort, 'snapshot_companies', 2, 10_000);
          const forms = Object.entries(formsOf(attackers));
          await warmUp(
            gateway.port,
            forms.map(([, request]) => request),
          );
          const calm = await neighbours(CALM_MS);
          const base = residentBytes(gateway.pid);
          for (const { name, payloads, clients, ms } of groups(forms))
            await measureAgain(tally, async (round) => {
              const watched = watchProcess(gateway.pid);
              const attack = await neverRead(gateway.port, clients, payloads);
              const beside = await neighbours(ms);
              const [sent, connections] = [attack.sent(), attack.connections()];
              attack.stop();
              watched.stop();
              const held = { base, peak: watched.peak(), sent, connections };
              checkMemory(round, `${who}, ${name}`, held, gateway.ended());
              checkLatency(round, 'a request', calm.request, beside.request, FLOOR_MS);
              checkLatency(round, 'a tunnel', calm.tunnel, beside.tunnel, FLOOR_MS);
            });
        } finally {
          await gateway.kill();
        }
      },
    ),
  quickOrSoak(240_000, 600_000),
);

/** The request forms of each attack: all at once. The soak run first sends each alone, with fewer clients and for less time. */
function groups(forms: readonly (readonly [string, string])[]) {
  const payload = (request: string) => pipelined(request, BYTES);
  const all = forms.map(([, request]) => payload(request));
  const alone = forms.map(([name, request]) => ({
    name,
    payloads: [payload(request)],
    clients: 100,
    ms: 5_000,
  }));
  return [...quickOrSoak([], alone), { name: 'all forms', payloads: all, clients: CLIENTS, ms: ATTACK_MS }];
}

/** Runs an agent of another company, who sends requests and opens tunnels on new connections. */
async function neighbours(ms: number) {
  const wanted = during(ms);
  const host = `${NEIGHBOUR_SITE}:${calmOrigin.http}`;
  const [request, tunnel] = await Promise.all([
    measure(
      async () => {
        const got = statusAndReason(await get(gateway.port, neighbour, `http://${host}/small`));
        if (got !== '200') throw new Error(`answered ${got}`);
      },
      wanted,
      { parallel: 4 },
    ),
    measure(
      async () => {
        const { socket, status } = await openTunnel(gateway.port, neighbour, host);
        socket.destroy();
        if (status !== 200) throw new Error(`answered ${status}`);
      },
      wanted,
      { parallel: 4 },
    ),
  ]);
  return { request, tunnel };
}
