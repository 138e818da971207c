import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTunnel } from '@propusk/test-kit/gateway/client';
import { type GatewayProcess, startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { type Company, startWholeProduct, type WholeProduct } from '@propusk/test-kit/gateway/whole-product';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/**
 * Every visit has its record, once: under load, and while api and gateway are killed. Gateway, api and PostgreSQL run in their own
 * processes.
 */

let product: WholeProduct;
let home: Company;
let gateway: GatewayProcess;
beforeAll(async () => {
  product = await startWholeProduct(inject('serverUrl'), 256);
  gateway = product.gateway;
  home = await product.company('crm.company.test', product.origin);
});
afterAll(async () => {
  await gateway?.kill();
  await product?.stop();
});

interface Stored {
  readonly kind: string;
  readonly state: string;
  readonly reason: string;
  readonly up: number;
  readonly from: number;
  readonly to: number;
}

const stored = async (): Promise<Stored[]> =>
  (
    await product.database.pool.query(`select kind, state, reason, up::int, extract(epoch from started_at)::float * 1000 as from,
      extract(epoch from started_at)::float * 1000 + ms as to from records where kind in ('tunnel', 'loss')`)
  ).rows;
/** The visits that the statistics count more often than the log has them. */
const repeated = async (): Promise<number> =>
  (
    await product.database.pool.query(`select (select sum(visits) from record_hours where reason = '')::int
      - (select count(*) from records where kind not in ('loss', 'refusal'))::int as n`)
  ).rows[0].n;

interface Trip {
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Opens a tunnel and sends a number of bytes that no other trip has. It waits for the origin's end, unless the gateway is killed: an
 * early end could lose bytes. @returns null when the gateway was away
 */
async function travel(bytes: number): Promise<Trip | null> {
  const from = Date.now();
  const tunnel = await openTunnel(gateway.port, home.agent.who, home.host);
  if (tunnel.status !== 200) return null;
  const head = 'POST /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n';
  tunnel.socket.end(head + 'x'.repeat(bytes - head.length));
  await Promise.race([tunnel.closed, sleep(5_000)]);
  tunnel.socket.destroy();
  return { bytes, from, to: Date.now() };
}

/** Starts trips at a steady rate. @returns those that began */
async function travelFor(ms: number, perSecond: number, first: number): Promise<Trip[]> {
  const begun = performance.now();
  const trips: Promise<Trip | null>[] = [];
  while (performance.now() - begun < ms) {
    const due = ((performance.now() - begun) / 1_000) * perSecond;
    while (trips.length < due) trips.push(travel(first + trips.length));
    await sleep(5);
  }
  return (await Promise.all(trips)).filter((trip) => trip !== null);
}

async function untilStored(enough: (all: Stored[]) => boolean, ms: number): Promise<Stored[]> {
  const deadline = performance.now() + ms;
  for (;;) {
    const all = await stored();
    if (enough(all) || performance.now() > deadline) return all;
    await sleep(300);
  }
}

test(
  'each of 1,000 visits a second is stored once',
  async () => {
    await threatCase('lost records', 'visits at a steady rate, each stored once', async (tally) => {
      const seconds = quickOrSoak(3, 300);
      const rate = quickOrSoak(300, 1_000);
      const ended: Promise<void>[] = [];
      const begun = performance.now();
      let asked = 0;
      while (performance.now() - begun < seconds * 1_000) {
        for (; asked < ((performance.now() - begun) / 1_000) * rate; asked++)
          ended.push(
            openTunnel(gateway.port, home.agent.who, home.host).then(({ socket, status }) => {
              expect(status).toBe(200);
              socket.destroy();
            }),
          );
        await sleep(5);
      }
      await Promise.all(ended);
      const all = await untilStored((rows) => rows.length >= asked, 20_000);
      tally.held(asked);
      tally.note(`${Math.round(asked / seconds)} a second for ${seconds} s`);
      expect(all.filter(({ kind, state }) => kind === 'tunnel' && state === 'closed')).toHaveLength(asked);
      expect(all).toHaveLength(asked);
      expect(await repeated()).toBe(0);
    });
  },
  quickOrSoak(240_000, 400_000),
);

test(
  'while the api does not answer and both are killed, each visit is stored once, interrupted, or in a gap that a record of loss names',
  async () => {
    await threatCase('lost records', 'visits over kills of gateway and api', async (tally) => {
      const before = await stored();
      const firstBytes = before.reduce((most, { up }) => Math.max(most, up + 1), 200);
      const kills = quickOrSoak(4, 20);
      const away = quickOrSoak(8_000, 600_000);
      const port = String(gateway.port);
      await product.api.kill();
      const travelling = travelFor(away, 20, firstBytes);
      for (let kill = 0; kill < kills; kill++) {
        await sleep((away / kills) * (0.5 + Math.random() / 2));
        if (kill % 2 === 0) {
          await gateway.kill();
          gateway = await startGatewayProcess({
            ...{ API_URL: product.api.url, DATA_DIR: join(product.folder, 'gateway'), MEMORY: '256' },
            GATEWAY_PORT: port,
          });
        } else {
          // For a moment the api is there, and dies while it stores.
          await product.api.start();
          await sleep(Math.random() * 500);
          await product.api.kill();
        }
      }
      const trips = await travelling;
      await product.api.start();
      const rows = await untilStored(
        (all) => all.filter(({ kind }) => kind === 'tunnel').length >= before.length + trips.length,
        quickOrSoak(8_000, 60_000),
      );
      const fresh = rows.filter(({ kind, up: bytes }) => kind === 'tunnel' && bytes >= firstBytes);
      const gaps = rows.filter(({ kind }) => kind === 'loss');
      const open = rows.filter(({ state }) => state === 'interrupted');
      const times = new Map<number, number>();
      for (const { up: bytes } of fresh) times.set(bytes, (times.get(bytes) ?? 0) + 1);
      let missing = 0;
      for (const { bytes, from, to } of trips) {
        const found = times.get(bytes) ?? 0;
        const named =
          found === 1 ||
          gaps.some((gap) => gap.from - 5 <= to && from <= gap.to) ||
          open.some((one) => Math.abs(one.from - from) < 1_000);
        if (found !== 1) missing += 1;
        tally.see(found < 2 && named, `the visit of ${bytes} bytes has ${found} records`);
      }
      tally.note(
        `${missing} of ${trips.length} lost in ${gaps.length} named gaps, ${kills} kills in ${away / 1_000} s`,
      );
      expect(await repeated()).toBe(0);
      expect(gaps.every(({ reason }) => reason === 'killed')).toBe(true);
    });
  },
  quickOrSoak(240_000, 800_000),
);
