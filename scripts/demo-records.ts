import { randomUUID } from 'node:crypto';
import type { RecordBatch, GatewayRecord as Row } from '@propusk/contract/gateway-records';

/** A company of the demo as its records need it. */
export interface DemoIds {
  readonly companyId: number;
  /** Each user with the sites that a policy opens. */
  readonly people: readonly {
    readonly id: number;
    readonly sites: readonly { readonly id: number; readonly host: string; readonly policyId: number }[];
  }[];
}

const DAYS = 60;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Moscow keeps UTC+3. */
const ZONE_MS = 3 * HOUR_MS;
const BATCH = 1_000;
/** Hosts that the demo's companies do not have. */
const strangers = ['games.example', 'video.example', 'cdn.example'];

/**
 * The record batches of one gateway for two months, so that statistics can compare the last month with the month before. They contain
 * busy working hours, quiet weekends, refusals up to the last minutes, and some open visits.
 */
export function demoBatches(companies: readonly DemoIds[], now = Date.now()): RecordBatch[] {
  const random = seeded(7);
  const some = (most: number) => Math.floor(random() * most);
  const today = Math.floor((now + ZONE_MS) / DAY_MS) * DAY_MS - ZONE_MS;
  const records: Row[] = [];
  for (const { companyId, people } of companies) {
    for (const [place, person] of people.entries()) {
      const address = `203.0.113.${(place % 250) + 1}`;
      const common = { companyId, userId: person.id, address, port: 443, open: false, reason: '', count: 1 };
      for (let ago = DAYS; ago >= 0; ago--) {
        const day = today - ago * DAY_MS;
        const isWeekend = [0, 6].includes(new Date(day + ZONE_MS).getUTCDay());
        // Some users work on a weekend, and one in eight is away on a working day.
        if (random() < (isWeekend ? 0.9 : 0.12)) continue;
        const visits = person.sites.length === 0 ? 0 : 2 + some(isWeekend ? 3 : 12);
        const at = () => day + Math.round((9 + ((random() + random() + random()) / 3) * 10) * HOUR_MS);
        const record = (kind: Row['kind'], startedAt: number, rest: Partial<Row> & { host: string }) => {
          if (startedAt >= now) return;
          const base = { id: randomUUID(), kind, startedAt: new Date(startedAt).toISOString() };
          records.push({ ...common, ...base, ms: 0, up: 0, down: 0, ...rest });
        };
        for (let visit = 0; visit < visits; visit++) {
          const { id: siteId, host, policyId } = person.sites[some(person.sites.length)] ?? never();
          const startedAt = at();
          const ms = Math.min(4_000 + some(900_000), Math.max(0, now - startedAt));
          const down = 20_000 + some(ms * 12);
          record('tunnel', startedAt, { siteId, host, policyId, ms, up: Math.round(down / 15), down });
        }
        if (random() > 0.25) continue;
        const host = strangers[some(strangers.length)] ?? '';
        const reason = ['site_unknown', 'site_unknown', 'no_policy', 'resolve_failed', 'timeout'][some(5)];
        record('refusal', at(), { host, reason: reason ?? '', count: 1 + some(6) });
      }
      const [site] = person.sites;
      if (place % 4 === 1) {
        const startedAt = new Date(now - some(1_200_000)).toISOString();
        const refusal = { ...common, host: 'games.example', reason: 'site_unknown', ms: 0, up: 0, down: 0 };
        records.push({ ...refusal, id: randomUUID(), kind: 'refusal', startedAt });
      }
      if (site === undefined || place % 4 !== 0) continue;
      const ms = 60_000 + some(1_200_000);
      const open = { ...common, open: true, siteId: site.id, host: site.host, policyId: site.policyId, ms };
      const startedAt = new Date(now - ms).toISOString();
      records.push({ ...open, id: randomUUID(), kind: 'tunnel', startedAt, up: ms, down: ms * 9 });
    }
  }
  const run = { gateway: randomUUID(), run: randomUUID() };
  return Array.from({ length: Math.ceil(records.length / BATCH) }, (_, at) => ({
    ...run,
    number: at + 1,
    records: records.slice(at * BATCH, (at + 1) * BATCH),
  }));
}

function never(): never {
  throw new Error('no site');
}

/** A generator of numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
