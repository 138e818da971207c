import type { Entry } from './inventory.ts';

type Row = readonly [where: string, by: string, bound: string, atBound: string, test?: string];

const COMPANY = '1,000 objects of a kind and 20,000 links a company (limits.ts)';
const REFUSED = 'the api refuses with 409';

/** Tables of PostgreSQL, and files: `findGrowing` does not see them. A test compares the tables with the migrations. */
const rows: readonly Row[] = [
  [
    'table `companies`',
    'strangers who register, where registration is open',
    '20 an hour for each network; a few hundred bytes each',
    '429',
  ],
  ['table `users`', 'owners', COMPANY, REFUSED],
  ['table `sites`', 'owners', COMPANY, REFUSED],
  ['table `proxies`', 'owners', COMPANY, REFUSED],
  ['table `policies`', 'owners', COMPANY, REFUSED],
  ['table `policy_users`', 'owners', COMPANY, REFUSED],
  ['table `policy_sites`', 'owners', COMPANY, REFUSED],
  [
    'table `sessions`',
    'users who sign in',
    '100 for each user; the reaper removes expired ones',
    'the longest idle session ends',
    'apps/api/src/db/reaper.db.test.ts',
  ],
  [
    'table `mail_links`',
    'strangers who request links',
    '10 in 15 minutes for each mailbox; the reaper removes expired ones',
    '429',
    'apps/api/src/auth/links.db.test.ts',
  ],
  [
    'table `mails`',
    'requests that send mail',
    '10,000 mails with a link and 10,000 notices, of about 0.5 KB; each is deleted once sent, and dropped with its link or after 24 hours',
    '503 unavailable',
    'apps/api/src/mail/outbox.db.test.ts',
  ],
  ['table `vantages`', 'owners', '20 for each company and 20 of the platform', REFUSED],
  [
    'table `vantage_tasks`',
    'owners who start probes',
    'one for each running probe and vantage: 4 probes for each process; the reaper removes expired ones',
    'further probes wait',
  ],
  [
    'table `company_invitations`',
    'admins',
    'one for each mailbox; the daily bytes of an admin (daily-bytes.ts); the reaper removes expired ones',
    '429',
    'apps/api/src/auth/registration.db.test.ts',
  ],
  ['table `lock_links`', 'owners', '20 for each site', 'the oldest is deleted'],
  [
    'table `pairing_codes`',
    'users who connect the extension',
    '20 in 15 minutes for each user, 60 s each',
    '429',
  ],
  [
    'table `second_factors`',
    'users',
    'one for each user',
    'does not grow',
    'apps/api/src/auth/factor.db.test.ts',
  ],
  [
    'table `recovery_codes`',
    'users',
    '10 for each user',
    'the set is replaced',
    'apps/api/src/auth/factor.db.test.ts',
  ],
  [
    'table `idempotency_keys`',
    'users, by creating calls',
    'keys live a day; stored replies count towards the daily bytes of a user (daily-bytes.ts)',
    '429',
    'apps/api/src/http/races.db.test.ts',
  ],
  [
    'table `rate_limits`',
    'strangers, by addresses and emails',
    'keys live an hour, those of a user a day; about 200 bytes each; the reaper removes expired ones',
    'no limit within an hour',
    'apps/api/src/http/limits.db.test.ts',
  ],
  [
    'table `site_checks`',
    'owners, by probes',
    'one for each site',
    'the newer probe replaces it',
    'apps/api/src/probe/checks.db.test.ts',
  ],
  [
    'table `proxy_egress`',
    'proxies, by addresses that the echo saw',
    '32 addresses for each proxy',
    'the oldest is deleted',
    'apps/api/src/lock/lock.db.test.ts',
  ],
  [
    'table `proxy_learning`',
    'owners, by proxies',
    'one for each proxy',
    'does not grow',
    'apps/api/src/lock/lock.db.test.ts',
  ],
  [
    'table `gateway_acknowledgements`',
    'gateways',
    'one for each gateway name and company, 30 days after its last change',
    'the reaper removes it',
    'apps/gateway/src/cluster.db.test.ts',
  ],
  [
    'table `audit`',
    'signed-in users',
    '50 MB a day for an owner or admin, 5 MB for an agent, 5 MB for sign-ins; months beyond AUDIT_RETENTION are dropped',
    '429; removals are never refused',
    'apps/api/src/db/daily-bytes.db.test.ts',
  ],
  [
    'table `audit_removals`',
    'the retention of the audit',
    'one row a month',
    'none is removed',
    'apps/api/src/db/reaper.db.test.ts',
  ],
  ['table `platform`', 'the start', 'one row', 'does not grow'],
  [
    'file `disk.reserve`',
    'the start',
    '64 MiB',
    'deleted on a full disk',
    'apps/api/test/faults/disk-reserve.db.test.ts',
  ],
  [
    'file `gateway-snapshot.bin`',
    'the feed',
    'the snapshots of all companies',
    'rewritten',
    'apps/gateway/src/snapshot-file.test.ts',
  ],
  [
    'file `gateway-snapshot.outdated`',
    'owners, by changes',
    'the changes since the last snapshot',
    'the next snapshot empties it; unlimited while writes fail',
    'apps/gateway/src/snapshot.test.ts',
  ],
  [
    'folder `DATA_DIR/mail`',
    'requests that send mail, without SMTP_URL',
    'one file of about 10 KB for each mail',
    'no limit: the operator empties it',
  ],
  [
    'standard output',
    'strangers, by requests',
    'about 500 bytes a request at `info`',
    'rotation by journald or the container',
  ],
  ['file of `npm run backup`', 'the operator', 'the tables, compressed', 'one file a run'],
];

export const stored: readonly Entry[] = rows.map(([where, by, bound, atBound, test = 'none']) => ({
  where,
  by,
  bound,
  atBound,
  test,
}));
