import { lookup } from 'node:dns/promises';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isLoopback } from '@propusk/contract/settings';
import { sql } from 'kysely';
import { readMoment } from '../feed/store.ts';
import { verifySmtp } from '../mail/mail.ts';
import { findStuckMail } from '../mail/store.ts';
import { portOf } from '../probe/transport.ts';
import { PRESENT } from '../vantage/store.ts';
import { runTask } from '../vantage/task-store.ts';
import type { Check, Finding } from './check.ts';
import { CLOCK_S } from './machine-checks.ts';

/** Checks of the running product: database, mail, backups, gateways, egress addresses, and reachability from a vantage. */

const HOUR_MS = 3_600_000;
/** A gateway with open visits is late after this many seconds without records. Normally, records come at least every 60 s. */
const LATE_S = 150;
/** A newer backup is expected after this many hours, because a backup starts every 24 h and can take 2 h. */
const OLD_H = 26;
const MOST_NAMES = 5;

export const checkDatabase: Check = async ({ db, fault }) => {
  if (db === null) return [{ level: 'error', code: 'database_down', params: { fault } }];
  const size = sql<{ bytes: number }>`select pg_database_size(current_database())::float as bytes`;
  const { rows } = await size.execute(db);
  const seconds = Math.round(((await readMoment(db)) - Date.now()) / 1000);
  return [
    { level: 'ok', code: 'database_up', params: { bytes: rows[0]?.bytes ?? 0 } },
    ...(Math.abs(seconds) > CLOCK_S
      ? [{ level: 'warning' as const, code: 'database_clock_off' as const, params: { seconds } }]
      : []),
  ];
};

export const checkMail: Check = async ({ db, config: { smtpUrl, publicUrl } }) => {
  const found: Finding[] = [];
  if (smtpUrl === undefined) {
    const isLocal = isLoopback(publicUrl.hostname);
    found.push(isLocal ? { level: 'ok', code: 'mail_local' } : { level: 'warning', code: 'mail_folder' });
  } else {
    const failure = await verifySmtp(smtpUrl);
    if (failure !== null) found.push({ level: 'error', code: 'mail_refused', params: { failure } });
  }
  const { count, failure } = (db === null ? null : await findStuckMail(db)) ?? { count: 0, failure: null };
  if (count > 0)
    found.push({ level: 'error', code: 'mail_stuck', params: { count, failure: failure ?? 'other' } });
  return found.length > 0 ? found : [{ level: 'ok', code: 'mail_sent' }];
};

/** Checks the backups in PROPUSK_BACKUPS, by default the folder of the Debian package. */
export const checkBackups: Check = async ({ env }) => {
  const folder = env.PROPUSK_BACKUPS ?? '/var/backups/propusk';
  const names = await readdir(folder).catch(() => null);
  if (names === null) return [{ level: 'unknown', code: 'backup_unseen', params: { folder } }];
  const files = await Promise.all(
    names
      .filter((name) => name.endsWith('.backup'))
      .map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const last = files.toSorted((a, b) => b.at - a.at)[0];
  if (last === undefined) return [{ level: 'warning', code: 'backup_missing', params: { folder } }];
  const hours = Math.round((Date.now() - last.at) / HOUR_MS);
  // The file last-trial names the last backup that `propusk backup-daily` verified, and states the result.
  const [tried, result] = (await readFile(join(folder, 'last-trial'), 'utf8').catch(() => ''))
    .trim()
    .split(' ');
  if (tried === last.name && result !== 'ok')
    return [{ level: 'error', code: 'backup_bad', params: { file: last.name } }];
  return hours > OLD_H
    ? [{ level: 'warning', code: 'backup_old', params: { hours } }]
    : [{ level: 'ok', code: 'backup_fresh', params: { hours, tried: tried === last.name } }];
};

/**
 * Reports the open visits of all gateways, and the longest time since a gateway's last update. A gateway that
 * sends no updates is down, or has no connection to the api.
 */
export const checkLoad: Check = async ({ db }) => {
  if (db === null) return [];
  const { rows } = await sql<{ visits: number; seconds: number }>`
    select count(*)::int as visits, extract(epoch from now() - max(g.seen_at))::int as seconds
    from records r join record_runs g on g.id = r.run where r.state = 'open' group by g.gateway`.execute(db);
  if (rows.length === 0) return [];
  const visits = rows.reduce((sum, row) => sum + row.visits, 0);
  const seconds = Math.max(...rows.map((row) => row.seconds));
  const params = { gateways: rows.length, visits, seconds };
  return [
    seconds > LATE_S
      ? { level: 'warning', code: 'gateways_late', params }
      : { level: 'ok', code: 'gateways_busy', params },
  ];
};

/** Counts the lost access records of the last day whose company is unknown. */
export const checkLosses: Check = async ({ db }) => {
  if (db === null) return [];
  const { rows } = await sql<{ losses: number; records: number }>`
    select count(*)::int as losses, coalesce(sum(count), 0)::float8 as records from records
    where company_id is null and kind = 'loss' and started_at > now() - interval '1 day'`.execute(db);
  const [{ losses, records } = { losses: 0, records: 0 }] = rows;
  return losses === 0 ? [] : [{ level: 'warning', code: 'records_lost', params: { records } }];
};

/** Checks the proxies of all policies: whether their egress is known, and whether it changed in the last week. */
export const checkEgress: Check = async ({ db }) => {
  if (db === null) return [];
  const { rows } = await sql<{ name: string; egress_moved: boolean; egress_unknown: boolean }>`
    select distinct x.host as name, coalesce(l.moved_at > now() - interval '7 days', false) as egress_moved,
      l.problem is not null as egress_unknown
    from policies p join proxies x on x.owner_id = p.proxy_owner_id and x.id = p.proxy_id
      join proxy_learning l on l.owner_id = x.owner_id and l.proxy_id = x.id order by name`.execute(db);
  const found = (['egress_moved', 'egress_unknown'] as const).flatMap((code): Finding[] => {
    const proxies = rows.filter((row) => row[code]).map(({ name }) => name);
    if (proxies.length === 0) return [];
    return [{ level: 'warning', code, params: { proxies: proxies.slice(0, MOST_NAMES) } }];
  });
  return found.length > 0 || rows.length === 0 ? found : [{ level: 'ok', code: 'egress_known' }];
};

/**
 * Checks that a vantage reaches console and gateway. Prefers a vantage of the platform, but also uses a vantage of a company,
 * because every vantage already has the URLs of console and gateway.
 */
export const checkOutside: Check = async ({ db, config: { publicUrl, gatewayUrl }, signal }) => {
  if (db === null || isLoopback(publicUrl.hostname)) return [];
  const { rows } = await sql<{ id: number; name: string }>`select id, name from vantages
    where seen_at > now() - ${PRESENT} order by company_id nulls first, seen_at desc limit 1`.execute(db);
  const [vantage] = rows;
  if (vantage === undefined) return [{ level: 'unknown', code: 'outside_unseen' }];
  const urls = [...new Map([publicUrl, gatewayUrl].map((url) => [url.origin, url])).values()];
  const groups = await Promise.all(
    urls.map(async (url) => {
      const { address } = await lookup(url.hostname).catch(() => ({ address: '192.0.2.1' }));
      const scheme = url.protocol === 'https:' ? 'https' : 'http';
      return [{ scheme, host: url.hostname, port: portOf(url), address, path: '/', headers: {} } as const];
    }),
  );
  const reports = await runTask(db, vantage.id, groups, signal);
  // Any response, even an error, shows that a server is reachable. Without credentials, the gateway always answers with an error.
  const shut = urls.filter((_, at) => !('status' in (reports.get(at)?.get(0) ?? {})));
  const params = { vantage: vantage.name, urls: shut.map(({ origin }) => origin) };
  return [
    shut.length === 0
      ? { level: 'ok', code: 'outside_good', params }
      : { level: 'error', code: 'outside_shut', params },
  ];
};
