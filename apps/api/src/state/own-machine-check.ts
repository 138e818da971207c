import { OwnMachine } from '@propusk/dial/own-machine';
import { createLookup } from '@propusk/dial/resolver';
import { sql } from 'kysely';
import type { Check } from './check.ts';

/** Names of a finding; the most that are looked up, and how many at once. */
const [MOST_NAMES, MOST_LOOKUPS, AT_ONCE] = [5, 2_000, 16];

/**
 * Sites and companies' proxies on ports of this machine that the gateway does not connect to. Release 0.2 connected to all but
 * its own.
 */
export const checkOwnMachine: Check = async ({ db, config, signal }) => {
  if (db === null) return [];
  const { rows } = await sql<{ name: string; host: string; port: number }>`
    select address as name, split_part(address, ':', 1) as host, split_part(address, ':', 2)::int as port
      from sites where address ~ '^[^*]+:[0-9]+$' and address !~ ':(80|443)$'
    union select distinct host || ':' || port, host, port from proxies where type = 'users'
    order by name limit ${MOST_LOOKUPS}`.execute(db);
  const own = new OwnMachine({ ...config, echoUrl: config.echoUrl.origin });
  const lookup = createLookup({ servers: config.dns });
  const waiting = [...rows];
  // grows: by site or proxy; bound: MOST_LOOKUPS; at the bound: the others are not looked up
  const refused: string[] = [];
  const work = async () => {
    for (let next = waiting.pop(); next !== undefined && !signal.aborted; next = waiting.pop()) {
      const { name, host, port } = next;
      const addresses = config.hosts.get(host) ?? (await Promise.resolve(lookup(host, host)).catch(() => []));
      if (own.refuses(host, addresses, port)) refused.push(name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (refused.length === 0) return [];
  const params = {
    names: refused.toSorted().slice(0, MOST_NAMES),
    others: Math.max(0, refused.length - MOST_NAMES),
  };
  return [{ level: 'warning', code: 'own_machine', params }];
};
