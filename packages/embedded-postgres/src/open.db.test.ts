import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  ask,
  canPlayOrdinary,
  makeScratch,
  opened,
  ordinary,
  postmasterOf,
  processesLeft,
  processesUnder,
  removeScratch,
  rootOnly,
  startHolder,
} from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedDatabase, openEmbedded } from './open.ts';
import { urlOf } from './readiness.ts';

const socketOf = (url: string) => new URL(url.replace('@/', '@x/')).searchParams.get('host') ?? '';

describe('an open database', () => {
  let scratch: string;
  let dataDir: string;
  let db: EmbeddedDatabase;
  const said: string[] = [];
  beforeAll(async () => {
    scratch = makeScratch();
    dataDir = join(scratch, 'data');
    db = await openEmbedded({ dataDir, onProgress: (line) => said.push(line) });
  });
  afterAll(async () => {
    await db.close();
    removeScratch(scratch);
  });

  test('a new database reports its creation, and serves the role and database propusk in UTF-8 at once', async () => {
    expect(said).toEqual([`Создаётся база данных в ${dataDir}/postgres.`]);
    expect(
      await ask(
        db.url,
        `select current_user::text as who, current_database()::text as db, rolsuper, pg_encoding_to_char(encoding) as encoding,
         pg_get_userbyid(datdba)::text as owner from pg_roles, pg_database
         where rolname = current_user and datname = current_database()`,
      ),
    ).toEqual([{ who: 'propusk', db: 'propusk', rolsuper: false, encoding: 'UTF8', owner: 'propusk' }]);
  });

  test('the role propusk may create the extensions that the api uses', async () => {
    const wanted = ['citext', 'pg_trgm', 'pgcrypto'];
    for (const name of wanted) await ask(db.url, `create extension ${name}`);
    const rows = await ask(db.url, 'select extname::text as name from pg_extension order by 1');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted));
  });

  test('the database listens on no port, and ALTER SYSTEM cannot open one', async () => {
    await ask(urlOf(socketOf(db.url), 'postgres', 'postgres'), "alter system set listen_addresses = '*'");
    const again = await reopen();
    expect(await ask(again.url, 'show listen_addresses')).toEqual([{ listen_addresses: '' }]);
    const pid = postmasterOf(join(dataDir, 'postgres'));
    const sockets = readdirSync(`/proc/${pid}/fd`)
      .map((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1])
      .filter((inode) => inode !== undefined);
    const unix = readFileSync('/proc/net/unix', 'utf8');
    expect(sockets.length).toBeGreaterThan(0);
    for (const inode of sockets) expect(unix).toContain(` ${inode} `);
  });

  test('the database authenticates clients by peer only, without any password', async () => {
    const admin = urlOf(socketOf(db.url), 'postgres', 'postgres');
    const rules = await ask(admin, 'select type, auth_method, error from pg_hba_file_rules');
    expect(rules).toEqual([
      { type: 'local', auth_method: 'peer', error: null },
      { type: 'local', auth_method: 'peer', error: null },
      { type: 'local', auth_method: 'reject', error: null },
    ]);
    expect(await ask(admin, 'select from pg_authid where rolpassword is not null')).toEqual([]);
  });

  test.skipIf(!canPlayOrdinary)(
    `the database admits root and its own user, not an ordinary one${rootOnly}`,
    () => {
      const script = `
      const client = new (require('pg').Client)({ connectionString: ${JSON.stringify(db.url)} });
      client.connect().then(() => client.query('select current_user')).then(
        (reply) => { console.log(reply.rows[0].current_user); process.exit(); },
        (error) => { console.log('refused', error.code); process.exit(); });`;
      const pg = createRequire(import.meta.url).resolve('pg');
      const as = (uid: number) =>
        spawnSync(process.execPath, ['-e', script.replace("'pg'", JSON.stringify(pg))], {
          uid,
          gid: uid,
          cwd: '/',
          encoding: 'utf8',
        }).stdout.trim();
      expect([as(0), as(65_534), as(ordinary.uid)]).toEqual(['propusk', 'propusk', 'refused EACCES']);
    },
  );

  test('the settings are durable, and sized for a small machine', async () => {
    const names = [
      'fsync',
      'full_page_writes',
      'synchronous_commit',
      'data_checksums',
      'shared_buffers',
      'max_connections',
    ];
    const rows = await ask(
      db.url,
      `select name, current_setting(name) as value from pg_settings where name in ('${names.join("','")}') order by name`,
    );
    expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      data_checksums: 'on',
      shared_buffers: '128MB',
      max_connections: '100',
    });
  });

  test('an open database cannot be opened again, by this process or another, and keeps running', async () => {
    await expect(openEmbedded({ dataDir })).rejects.toThrow(/уже открыта этим процессом\.$/);
    const other = startHolder(['open', dataDir]);
    expect(await other.line).toMatch(/^REFUSED StartError: Пропуск уже запущен/);
    expect(await ask(db.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('the database ignores environment variables of PostgreSQL and its clients', async () => {
    const env = {
      PGPORT: '1',
      PGSSLMODE: 'require',
      PGDATA: '/nowhere',
      PGHOST: 'nowhere',
      LD_LIBRARY_PATH: '/nowhere',
    };
    const holder = startHolder(['open', join(scratch, 'environment')], { env });
    expect((await opened(holder)).rows).toEqual([['propusk']]);
    await holder.end();
  });

  test('the server has its own session, so Ctrl-C in the terminal does not reach it', async () => {
    const folder = join(scratch, 'terminal');
    const holder = startHolder(['open', folder]);
    const { url } = await opened(holder);
    const pid = postmasterOf(join(folder, 'postgres'));
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    expect({ group: Number(stat[2]), session: Number(stat[3]) }).toEqual({ group: pid, session: pid });

    process.kill(-(holder.child.pid ?? Number.NaN), 'SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await holder.end();
    expect(await processesLeft(folder)).toEqual([]);
  });

  test('closing leaves no process, socket or temporary file, even twice and with clients connected', async () => {
    const folder = join(scratch, 'closed');
    const short = await openEmbedded({ dataDir: folder });
    const busy = ask(short.url, 'select pg_sleep(60)').catch((error: { code: string }) => error.code);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await Promise.all([short.close(), short.close()]);
    await short.close();

    expect(await short.exited).toEqual({ code: 0, signal: null });
    expect(await busy).toBe('57P01');
    expect(processesUnder(folder)).toEqual([]);
    // The reserve file may be complete already.
    expect(
      readdirSync(folder)
        .filter((name) => name !== 'disk.reserve')
        .sort(),
    ).toEqual(['postgres', 'postgres-config', 'postgres.log', 'propusk.lock']);
    expect(
      readdirSync(join(folder, 'postgres')).filter((name) => /^(\.s|postmaster\.pid)/.test(name)),
    ).toEqual([]);
    expect(statSync(join(folder, 'postgres.log')).mode & 0o777).toBe(0o600);
  });

  test('the log rotates past 8 MB and keeps one old part', async () => {
    await db.close();
    writeFileSync(join(dataDir, 'postgres.log'), 'x'.repeat(9 * 1024 * 1024));
    await reopen();
    expect(statSync(join(dataDir, 'postgres.log')).size).toBeLessThan(10_000);
    expect(statSync(join(dataDir, 'postgres.log.1')).size).toBe(9 * 1024 * 1024);
  });

  test('a cluster opens in 0.6 s, and in 3 s when it has to be created (best of two)', async ({
    annotate,
  }) => {
    const cold: number[] = [];
    const warm: number[] = [];
    for (const name of ['speed-1', 'speed-2']) {
      for (const times of [cold, warm]) {
        const began = performance.now();
        const timed = await openEmbedded({ dataDir: join(scratch, name) });
        times.push(Math.round(performance.now() - began));
        await timed.close();
      }
    }
    await annotate(`cold ${cold.join(', ')} ms; warm ${warm.join(', ')} ms`);
    expect(Math.min(...warm)).toBeLessThan(600);
    expect(Math.min(...cold)).toBeLessThan(3000);
  });

  async function reopen(): Promise<EmbeddedDatabase> {
    await db.close();
    db = await openEmbedded({ dataDir });
    return db;
  }
});
