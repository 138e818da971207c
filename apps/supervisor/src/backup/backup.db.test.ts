import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import fsPromises, { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { login } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { createSite } from '@propusk/contract/sites';
import { backupPhrases } from '@propusk/phrases/launcher';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { everything } from '@propusk/test-kit/backup/compare';
import { createWorld, type World } from '@propusk/test-kit/matrix/world';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { dump } from './dump.ts';
import { openWith } from './header.ts';
import { checkMigration, ID_GAP, load } from './load.ts';
import { readHeader, readThrough, verify } from './reader.ts';
import { allTables, leftOut } from './tables.ts';

const serverUrl = inject('serverUrl');
const keys = {
  SECRET_KEY: 'the sealing secret of all the tests',
  GATEWAY_SECRET: 'the gateway secret of all the tests',
};
const phrase = 'верная лошадь, батарейка и скоба';

let folder: string;
let api: TestApi;
let world: World;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-backup-'));
  api = await startApi(serverUrl);
  world = await createWorld(api);
  const { pool } = api.database;
  // Rows for the backup: text that COPY escapes, rows in every table that is still empty, the id of a
  // deleted company, and a site with a claim, which a proxy of the platform causes.
  const { CREATOR } = world.standing;
  await pool.query(String.raw`
    update users set name = E'tab\t \\N \\. line\nbreak \r "quotes" ёЁ 😀' where id = ${CREATOR.userId};
    update proxies set password_sealed = '\x00ff0a5c' where host like 'used.first%';
    update policies set proxy_id = ${world.directProxy}, proxy_owner_id = 0 where name = 'Reached of first';
    insert into timed_members (company_id, policy_id, user_id, ends_at)
      select company_id, policy_id, user_id, now() - interval '1 day' from policy_users limit 1;
    insert into proxy_egress (owner_id, proxy_id, address) values (0, ${world.directProxy}, '192.0.2.7');
    insert into proxy_learning (owner_id, proxy_id) values (0, ${world.directProxy});
    insert into site_checks (company_id, site_id, state, steps)
      select company_id, id, 'done', '[{"text": "a\\\"b\n"}]' from sites on conflict do nothing;
    insert into audit (company_id, company, actor_id, actor_name, actor_email, actor_roles, address, action, object_kind,
        object_id, object_name, changes)
      select company_id, 'Имя', id, name, email, roles, '192.0.2.7', 'changed', 'user', id, email, '{"name": {"to": "a\\\"b"}}'
      from users;
    insert into audit_removals (partition, from_at, to_at, rows, retention_months)
      values ('audit_2020_01', '2020-01-01', '2020-02-01', 7, 60);
    insert into mails (id, sealed, has_link, expires_at, due_at)
      values ('6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c11', 'canary of a mail', true, now() + interval '1 day', now() + interval '1 day');
    insert into record_runs (run, gateway, number)
      values ('6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c12', '6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c13', 4);
    insert into records (id, started_at, company_id, up, down, ms, run, count, port, kind, state, reason, address, host, client)
      select '6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c14', '2020-02-03T04:05:06.007Z', id, 1, 2, 3, 1, 1, 443, 'tunnel', 'closed', '', '192.0.2.7', 'crm.example.ru', 'chromium-extension-0.2.0'
      from companies limit 1;
    insert into record_hours select id, '2020-02-03T04:00:00Z', 0, 0, '', '', 1, 1, 1, 2 from companies limit 1;
    insert into record_people select id, 7, 'Имя' from companies limit 1;
    insert into last_visits select id, 7, 0, '2020-02-03T04:05:06Z' from companies limit 1;
    insert into plan_warnings select id, 'trial', now(), 7 from companies limit 1;
    insert into record_cuts select id, 30, true, null, now() + interval '72 hours' from companies limit 1;
    insert into companies (company_name, company_site) values ('lost', 'lost.test');
    delete from companies where company_name = 'lost'`);
  file = join(folder, 'whole.backup');
  await dump(api.database.url, keys, phrase, file);
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

async function restored(path = file): Promise<TestDatabase> {
  const target = await createTestDatabase(serverUrl, { empty: true });
  await load(target.url, await verify(path, phrase));
  return target;
}

test('a backup contains the sealed signing key of the extension if the key exists, and is complete without it', async () => {
  const extensionKey = '{"id":"sealed"}';
  const path = join(folder, 'with-key.backup');
  await dump(api.database.url, keys, phrase, path, { extensionKey });
  expect((await verify(path, phrase)).contents.extensionKey).toBe(extensionKey);
  expect((await verify(file, phrase)).contents.extensionKey).toBeUndefined();
});

test('a backup contains every table except those that leftOut lists', async () => {
  const { pool } = api.database;
  const client = await pool.connect();
  const names = await allTables(client);
  client.release();
  // Add a new table to this list, or to `leftOut` if its rows grant access.
  expect(names.filter((name) => !leftOut.has(name))).toEqual([
    ...[
      'audit',
      'audit_removals',
      'companies',
      'contact',
      'kysely_migration',
      'last_visits',
      'plan_warnings',
      'plans',
      'platform',
      'policies',
      'policy_sites',
      'policy_users',
      'proxies',
    ],
    ...[
      'proxy_egress',
      'proxy_learning',
      'record_cuts',
      'record_hours',
      'record_people',
      'record_removals',
      'record_runs',
      'records',
      'recovery_codes',
      'second_factors',
      'site_checks',
      'sites',
      'tariff_requests',
      'timed_members',
      'users',
      'vantages',
    ],
  ]);
  const ofThisRelease = [...leftOut].filter((name) => name !== 'kysely_migration_lock');
  expect(names.filter((name) => leftOut.has(name)).toSorted()).toEqual(ofThisRelease.toSorted());
  const { tables } = await everything(pool);
  for (const [name, rows] of Object.entries(tables)) expect(rows.length, name).toBeGreaterThan(0);
  const granting = ['sessions', 'pairing_codes', 'mail_links', 'mails', 'lock_links', 'company_invitations'];
  for (const name of granting) {
    expect((await pool.query(`select 1 from ${name}`)).rowCount, name).toBeGreaterThan(0);
  }
});

test('a restore brings back every row with its version, claim and computed columns', async () => {
  const before = await everything(api.database.pool);
  const target = await restored();
  const after = await everything(target.pool);
  expect(after.tables).toEqual(before.tables);
  expect(before.sequences.claims).not.toBe('0');
  for (const [name, last] of Object.entries(before.sequences)) {
    expect(after.sequences[name], name).toBe(String(Number(last) + (name === 'claims' ? 0 : ID_GAP)));
  }
  for (const name of leftOut) {
    if (name === 'kysely_migration_lock') continue;
    expect((await target.pool.query(`select 1 from ${name}`)).rowCount, name).toBe(0);
  }
  const waiting = 'select from vantages where code_hash is not null';
  expect((await api.database.pool.query(waiting)).rowCount).toBeGreaterThan(0);
  expect((await target.pool.query(waiting)).rowCount).toBe(0);
  expect(after.tables.vantages).not.toEqual([]);
  await target.drop();
});

test('a backup without the records of access states that, holds every other row, and restores no record', async () => {
  const path = join(folder, 'without-records');
  await dump(api.database.url, keys, phrase, path, { records: false });
  expect([(await readHeader(path)).records, (await readHeader(file)).records]).toEqual([false, true]);
  const target = await restored(path);
  const [before, after] = [await everything(api.database.pool), await everything(target.pool)];
  for (const [name, rows] of Object.entries(before.tables)) {
    expect(after.tables[name], name).toEqual(/^record(s$|_(?!cuts))/.test(name) ? [] : rows);
  }
  await target.drop();
});

test('a restored product accepts passwords, rejects old sessions and gateway tokens, and gives new rows unused ids', async () => {
  const { standing } = world;
  const { rows: lost } = await api.database.pool.query('select max(id) as id from sites');
  const { rows: epochs } = await api.database.pool.query('select max(gateway_epoch) as epoch from users');
  const target = await restored();
  const again = await startApi(serverUrl, { shared: target });
  expect((await again.call(standing.CREATOR.token, me)).status).toBe(401);
  const { rows: raised } = await target.pool.query('select min(gateway_epoch) as epoch from users');
  expect(raised[0].epoch).toBeGreaterThan(epochs[0].epoch);
  const { token } = await again.must(null, login, {
    body: { email: 'creator@first.test', password: PASSWORD },
  });

  // Restored audit rows cannot be rewritten.
  await expect(target.pool.query('delete from audit')).rejects.toMatchObject({ code: '42501' });
  const { rows: guard } = await target.pool.query(
    `select distinct tgenabled as state from pg_trigger where tgname = 'append_only'`,
  );
  expect(guard).toEqual([{ state: 'A' }]);

  // The triggers are enabled again.
  const version = async () =>
    (
      await target.pool.query(
        `select policy_version as v from companies where id = ${standing.CREATOR.companyId}`,
      )
    ).rows[0].v;
  const before = await version();
  const { id } = await again.must(token, createSite, { body: { address: 'new.example.ru', politics: [] } });
  expect(id).toBeGreaterThan(lost[0].id + ID_GAP - 1);
  expect(await version()).toBeGreaterThan(before);
  await again.close();
  await target.drop();
});

test('a backup file is unreadable without its passphrase, and its mode is 0600', async () => {
  const bytes = await readFile(file);
  for (const secret of [
    ...Object.values(keys),
    phrase,
    'creator@first.test',
    '$argon2id',
    'used.first.test',
  ]) {
    expect(bytes.includes(secret), secret).toBe(false);
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a restore refuses a wrong passphrase and a file of another program', async () => {
  await expect(verify(file, `${phrase}.`)).rejects.toThrow(/Фраза не подходит/);
  for (const text of ['', '\n', '{}\n', 'x'.repeat(200_000), '{"propusk":"backup"}\n']) {
    const stranger = join(folder, 'stranger');
    await writeFile(stranger, text);
    await expect(verify(stranger, phrase), text.slice(0, 20)).rejects.toThrow(/не копия/);
  }
  await expect(verify(folder, phrase)).rejects.toThrow(/не файл/);
  await expect(verify(join(folder, 'absent'), phrase)).rejects.toThrow(/нет: проверьте путь/);
});

test('a restore refuses a backup whose format or migration is newer than the program', async () => {
  const bytes = await readFile(file);
  const newer = join(folder, 'newer');
  await writeFile(newer, bytes.toString('latin1').replace('"format":1', '"format":2'), 'latin1');
  await expect(verify(newer, phrase)).rejects.toThrow(/более новая версия/);
  const header = await readHeader(file);
  await checkMigration(header);
  await expect(checkMigration({ ...header, migration: '999-from-the-future' })).rejects.toThrow(
    /более новая версия/,
  );
});

test('a restore refuses a backup file that is cut, lengthened or changed anywhere, before it writes a row', async () => {
  const bytes = await readFile(file);
  const bad = join(folder, 'bad');
  const headEnd = bytes.indexOf('\n') + 1;
  const starts: number[] = [];
  for (let at = headEnd; at < bytes.length; at += 4 + bytes.readUInt32BE(at)) starts.push(at);
  expect(starts.length).toBeGreaterThan(10);
  const [, first = 0, second = 0] = starts;
  const last = starts.at(-1) ?? 0;
  const flipped = (at: number) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  const damages: [string, Buffer][] = [
    ...starts.map((at): [string, Buffer] => [`cut at frame ${at}`, bytes.subarray(0, at)]),
    ['cut in a length', bytes.subarray(0, second + 2)],
    ['cut by a byte', bytes.subarray(0, -1)],
    ['lengthened', Buffer.concat([bytes, Buffer.from([0])])],
    ['a frame left out', Buffer.concat([bytes.subarray(0, first), bytes.subarray(second)])],
    ['a frame twice', Buffer.concat([bytes.subarray(0, second), bytes.subarray(first)])],
    ['only the last frame', Buffer.concat([bytes.subarray(0, headEnd), bytes.subarray(last)])],
    [
      'another date in the header',
      Buffer.from(bytes.toString('latin1').replace('"created":"2', '"created":"3'), 'latin1'),
    ],
    ...starts.flatMap((at): [string, Buffer][] => [
      [`length of ${at}`, flipped(at + 3)],
      [`ciphertext of ${at}`, flipped(at + 6)],
    ]),
    ['the last tag', flipped(bytes.length - 1)],
  ];
  const pass = await openWith(phrase, await readHeader(file));
  await readThrough(file, pass);
  for (const [name, damage] of damages) {
    await writeFile(bad, damage);
    await expect(readThrough(bad, pass), name).rejects.toThrow(/повреждён/);
  }
});

test('a trial reads a backup to its end and notes whether it could', async () => {
  const command = fileURLToPath(new URL('trial-command.ts', import.meta.url));
  const trial = (path: string) =>
    promisify(execFile)(process.execPath, [command, path], {
      env: { ...process.env, BACKUP_PASSPHRASE: phrase },
    });
  const noted = () => readFile(join(folder, 'last-trial'), 'utf8');
  await trial(file);
  expect(await noted()).toBe('whole.backup ok\n');
  const cut = join(folder, 'cut.backup');
  await writeFile(cut, (await readFile(file)).subarray(0, -40));
  await expect(trial(cut)).rejects.toMatchObject({ code: 1 });
  expect(await noted()).toBe('cut.backup failed\n');
});

test('a backup file that changes after its verification leaves the database empty', async () => {
  const bad = join(folder, 'changing');
  const bytes = await readFile(file);
  await writeFile(bad, bytes);
  const backup = await verify(bad, phrase);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(bad, bytes);
  const target = await createTestDatabase(serverUrl, { empty: true });
  await expect(load(target.url, backup)).rejects.toThrow(/повреждён/);
  const { rows } = await target.pool.query(`select 1 from pg_tables where schemaname = 'public'`);
  expect(rows).toEqual([]);
  await load(target.url, await verify(file, phrase));
  await target.drop();
});

test('a restore leaves a database with tables unchanged, and one of two simultaneous restores fails', async () => {
  const full = await createTestDatabase(serverUrl, { empty: true });
  await full.pool.query('create table kept as select 1 as one');
  await expect(load(full.url, await verify(file, phrase))).rejects.toThrow(/уже есть таблицы/);
  expect((await full.pool.query('select one from kept')).rows).toEqual([{ one: 1 }]);
  await full.drop();

  const target = await createTestDatabase(serverUrl, { empty: true });
  const backup = await verify(file, phrase);
  const ends = await Promise.allSettled([load(target.url, backup), load(target.url, backup)]);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect((await everything(target.pool)).tables).toEqual((await everything(api.database.pool)).tables);
  await target.drop();
});

test('a backup fails with another SECRET_KEY, for an existing file, and without a product', async () => {
  const other = { ...keys, SECRET_KEY: 'quite another secret of the tests' };
  const path = join(folder, 'refused');
  await expect(dump(api.database.url, other, phrase, path)).rejects.toThrow(/SECRET_KEY/);
  await expect(dump(api.database.url, keys, phrase, file)).rejects.toThrow(/уже есть/);
  await expect(dump(api.database.url, keys, phrase, join(folder, 'no/such'))).rejects.toThrow(/не создаётся/);
  const empty = await createTestDatabase(serverUrl, { empty: true });
  await expect(dump(empty.url, keys, phrase, path)).rejects.toThrow(/нет «Пропуска»/);
  await empty.drop();
  expect((await readdir(folder)).filter((name) => name.startsWith('refused'))).toEqual([]);
});

test('a backup works without hard links, which FAT and CIFS lack, and does not replace a file that appears meanwhile', async () => {
  const refused = Object.assign(new Error('EPERM'), { code: 'EPERM' });
  const link = vi.spyOn(fsPromises, 'link').mockRejectedValue(refused);
  syncBuiltinESMExports();
  const path = join(folder, 'without-links');
  try {
    await dump(api.database.url, keys, phrase, path);
  } finally {
    link.mockRestore();
    syncBuiltinESMExports();
  }
  expect((await verify(path, phrase)).header.records).toBe(true);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const other = join(folder, 'meanwhile');
  const dumped = dump(api.database.url, keys, phrase, other);
  await writeFile(other, 'mine');
  await expect(dumped).rejects.toThrow(/уже есть/);
  expect(await readFile(other, 'utf8')).toBe('mine');
  expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a signal handler never sees an empty backup under its final name', async () => {
  const path = join(folder, 'signalled');
  const sizes = new Set<number | undefined>();
  // This function runs between turns of the event loop, as signal handlers do.
  const look = () => {
    sizes.add(statSync(path, { throwIfNoEntry: false })?.size);
    if (!settled) setImmediate(look);
  };
  let settled = false;
  look();
  await dump(api.database.url, keys, phrase, path).finally(() => (settled = true));
  expect([...sizes]).not.toContain(0);
});

test('a backup fails when an interrupted backup left a partial file, names this file, and keeps it', async () => {
  const path = join(folder, 'interrupted');
  await writeFile(`${path}.part`, 'half');
  const dumped = dump(api.database.url, keys, phrase, path);
  await expect(dumped).rejects.toThrow(backupPhrases.leftover(`${path}.part`));
  expect(await readFile(`${path}.part`, 'utf8')).toBe('half');
  await rm(`${path}.part`);
});

test('a backup during writes is one snapshot: foreign keys hold, and each company has the version of its rows', async () => {
  const source = await createTestDatabase(serverUrl);
  await source.pool.query(
    `insert into platform (key_check) select key_check from (values ($1::bytea)) as v (key_check)`,
    [(await api.database.pool.query('select key_check from platform')).rows[0].key_check],
  );
  await source.pool.query(
    `insert into companies (company_name, company_site) select 'c' || i, 'c.test' from generate_series(1, 8) i`,
  );
  // Insert many rows, so that the writers below run during the backup.
  await source.pool.query(`insert into users (company_id, email, name, surname, password_hash, roles)
    select 1 + i % 8, 'u' || i || '@c.test', 'имя', '', repeat(md5(i::text), 8), '{USER}' from generate_series(1, 5000) i`);
  await source.pool.query('update companies set policy_version = 1');

  const writing = new AbortController();
  let written = 0;
  // Each write inserts a site and raises the company's version, so the version always equals the number of
  // sites plus 1.
  const writer = async (company: number) => {
    for (let i = 0; !writing.signal.aborted; i++) {
      await source.pool.query('insert into sites (company_id, address, shown_address) values ($1, $2, $2)', [
        company,
        `s${i}.test`,
      ]);
      written++;
    }
  };
  const writers = [1, 2, 3, 4, 5, 6, 7, 8].map((company) => writer(company));
  const path = join(folder, 'busy');
  const before = written;
  const header = await dump(source.url, keys, phrase, path);
  expect(written - before, 'writes during the backup').toBeGreaterThan(20);
  writing.abort();
  await Promise.all(writers);
  const target = await restored(path);
  const { rows } = await target.pool.query(`select c.policy_version as version,
    (select count(*) from sites s where s.company_id = c.id) as sites from companies c`);
  expect(rows).toHaveLength(8);
  for (const { version, sites } of rows) expect(version).toBe(sites + 1);
  const held = rows.reduce((sum, { sites }) => sum + sites, 0);
  expect(header.tables.sites).toBe(held);
  expect(held).toBeLessThan(written);
  const { rows: beyond } = await target.pool.query(`insert into sites (company_id, address, shown_address)
    values (1, 'after.test', 'after.test') returning id, (select max(id) from sites) as max`);
  expect(beyond[0].id).toBeGreaterThan(beyond[0].max);
  await target.drop();
  await source.drop();
});
