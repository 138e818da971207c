import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@propusk/test-kit/daemon';
import { openTunnel } from '@propusk/test-kit/gateway/client';
import { startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { type GatewayProcess, startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { during, measure } from '@propusk/test-kit/gateway/latency';
import { checkLatency, measureAgain } from '@propusk/test-kit/gateway/overload-bars';
import { MB, residentBytes } from '@propusk/test-kit/gateway/resources';
import { company, credentials, SECRET, untilMetric } from '@propusk/test-kit/gateway/world';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { inTurn } from '@propusk/test-kit/turns';
import { afterAll, beforeAll, test } from 'vitest';

/** Tunnels of which one side sends without end, in pieces of one size, and the other side never reads. */

const TUNNELS = 400;
const STALL_MS = quickOrSoak(4_000, 20_000);
const CALM_MS = quickOrSoak(1_500, 10_000);
/** The quick run is too short for the garbage of a flood to be collected. */
const MOST_MB = quickOrSoak(0.15, 0.1);
/** Milliseconds that a busy machine adds to the p99 latency. */
const FLOOR_MS = quickOrSoak(1_500, 50);
/** A side that hurries sends until its own buffers are full; the other one a piece each time. */
const SLOW_MS = 20;
const SENT_MOST = 8 * MB;

const cases = (['to the site', 'to the client'] as const).flatMap((direction) =>
  [1, 100, 4_200, 65_536].flatMap((piece) =>
    (['fast', 'slow'] as const).map((pace) => ({ direction, piece, pace })),
  ),
);

const me = credentials(1);
const neighbour = credentials(11);
let folder: string;
let site: Server;
let gateway: GatewayProcess;
let stopFeed: () => Promise<void>;
let target: string;
let neighbourTarget: string;
/** The site's ends of the tunnels. */
const origins = new Set<Socket>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-stalled-'));
  site = createServer({ noDelay: true }, (socket) => {
    origins.add(socket.on('error', () => {}).on('close', () => origins.delete(socket)));
    // The tunnel carries bytes once the server has spoken. The site reads nothing.
    socket.pause().write('SSH-2.0-stalled\r\n');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  target = `crm.company.test:${port}`;
  neighbourTarget = `wiki.company.test:${port}`;
  const feed = await startFeedServer(SECRET);
  feed.publish(company([target]));
  feed.publish(company([neighbourTarget], { id: 2 }));
  stopFeed = () => feed.stop();
  const metricsPort = await freePort();
  const env = { API_URL: feed.url, DATA_DIR: folder, GATEWAY_METRICS_PORT: String(metricsPort) };
  gateway = await startGatewayProcess(env);
  await untilMetric(metricsPort, 'snapshot_companies', 2, 10_000);
});
afterAll(async () => {
  await gateway.kill();
  await stopFeed();
  site.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens the tunnels. @returns the clients' ends */
async function openAll(): Promise<Socket[]> {
  const clients: Socket[] = [];
  while (clients.length < TUNNELS) {
    const some = Array.from({ length: 40 }, async () => {
      const tunnel = await openTunnel(gateway.port, me, target);
      while (tunnel.got() === '') await sleep(5);
      clients.push(tunnel.socket.pause());
    });
    await Promise.all(some);
  }
  return clients;
}

async function closeAll(clients: readonly Socket[]): Promise<void> {
  for (const socket of [...clients, ...origins]) socket.destroy();
  while (origins.size > 0) await sleep(5);
}

/** Sends pieces from every socket until `wanted` is false. @returns a function that tells the bytes sent */
function send(
  sockets: readonly Socket[],
  piece: number,
  pace: 'fast' | 'slow',
  wanted: () => boolean,
): () => number {
  const bytes = Buffer.alloc(piece, 'x');
  let sent = 0;
  for (const socket of sockets) {
    let mine = 0;
    socket.setNoDelay(true);
    void (async () => {
      while (wanted() && !socket.destroyed && mine < SENT_MOST) {
        if (socket.writableNeedDrain) await sleep(50);
        else {
          socket.write(bytes);
          mine += piece;
          sent += piece;
          if (pace === 'slow') await sleep(SLOW_MS);
          else if (mine % (64 * piece) === 0) await sleep(1);
        }
      }
    })();
  }
  return () => sent;
}

const others = (ms: number) =>
  measure(
    async () => {
      const { socket, status } = await openTunnel(gateway.port, neighbour, neighbourTarget);
      socket.destroy();
      if (status !== 200) throw new Error(`answered ${status}`);
    },
    during(ms),
    { parallel: 4 },
  );

test.each(inTurn(cases))(
  `${TUNNELS} tunnels whose bytes $direction nobody reads hold at most ${MOST_MB} MB each: pieces of $piece bytes, $pace`,
  ({ direction, piece, pace }) =>
    threatCase(
      'clients that never read',
      `${TUNNELS} tunnels ${direction}, pieces of ${piece} bytes, ${pace}`,
      async (tally) => {
        // The gateway's heap grows once by what a busy second takes.
        const busy = await openAll();
        send(busy, 65_536, 'fast', during(1_000));
        await sleep(1_000);
        await closeAll(busy);
        const calm = await others(CALM_MS);
        const base = residentBytes(gateway.pid);
        await measureAgain(tally, async (round) => {
          const clients = await openAll();
          const before = residentBytes(gateway.pid);
          if (origins.size < TUNNELS) throw new Error('The tunnels have ended');
          const senders = direction === 'to the site' ? clients : [...origins];
          const sent = send(senders, piece, pace, during(STALL_MS));
          const beside = await others(STALL_MS);
          const grown = residentBytes(gateway.pid) - base;
          round.see(origins.size >= TUNNELS, 'the tunnels have ended');
          await closeAll(clients);
          const each = grown / TUNNELS / MB;
          const figures = `${each.toFixed(3)} MB a tunnel, ${((before - base) / TUNNELS / MB).toFixed(3)} before; ${Math.round(sent() / TUNNELS / 1024)} KB sent`;
          round.note(figures);
          round.see(each <= MOST_MB, `more than ${MOST_MB} MB: ${figures}`);
          checkLatency(round, 'a tunnel', calm, beside, FLOOR_MS);
        });
      },
    ),
  240_000,
);
