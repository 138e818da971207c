import { setTimeout as sleep } from 'node:timers/promises';
import { addressesWithoutLookup } from '@propusk/dial/dial';
import { OwnMachine } from '@propusk/dial/own-machine';
import { createLookup } from '@propusk/dial/resolver';
import { sql } from 'kysely';
import { inParallel } from '../core/in-parallel.ts';
import type { Check } from './check.ts';

/** A finding lists at most 5 names. At most 1,000 host names are resolved, 16 at once, within 5 s in total. */
const [MOST_NAMES, MOST_LOOKUPS, AT_ONCE, WAIT_MS] = [5, 1_000, 16, 5_000];

/**
 * Finds stored sites and proxies that the gateway refuses, because they use a forbidden port of this machine. Release 0.1
 * forbade only the gateway's own port. Host names that are not resolved in time are omitted.
 */
export const checkOwnMachine: Check = async ({ db, config, signal }) => {
  if (db === null) return [];
  const { rows } = await sql<{ name: string; host: string; port: number }>`
    select address as name, split_part(address, ':', 1) as host, split_part(address, ':', 2)::int as port
      from sites where address ~ '^[^*]+:[0-9]+$' and address !~ ':(80|443)$'
    union select distinct host || ':' || port, host, port from proxies where not direct
    order by name limit ${MOST_LOOKUPS}`.execute(db);
  const own = new OwnMachine({ ...config, echoUrl: config.echoUrl.origin });
  const lookup = createLookup({ servers: config.dns });
  const ends = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]);
  // Grows with refused sites and proxies. Bound: 1,000 names. At the bound: further names are not resolved
  const refused: string[] = [];
  const resolved = async (host: string) => {
    try {
      return addressesWithoutLookup(host, config.hosts) ?? (await lookup(host, host));
    } catch {
      return [];
    }
  };
  const all = inParallel(AT_ONCE, rows, async ({ name, host, port }) => {
    if (!ends.aborted && own.refuses(host, await resolved(host), port)) refused.push(name);
  });
  await Promise.race([all, sleep(WAIT_MS, undefined, { signal, ref: false }).catch(() => {})]);
  if (refused.length === 0) return [];
  const params = {
    names: refused.toSorted().slice(0, MOST_NAMES),
    others: Math.max(0, refused.length - MOST_NAMES),
  };
  return [{ level: 'warning', code: 'own_machine', params }];
};
