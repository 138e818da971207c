import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ask,
  asRoot,
  isRunning,
  makeScratch,
  makeTemplate,
  opened,
  postmasterOf,
  processesLeft,
  removeScratch,
  startHolder,
} from '@propusk/test-kit/embedded/scratch';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findBinaries } from './binaries.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { findPlace, nobodyId } from './location.ts';
import { openEmbedded } from './open.ts';

/** The user that the database runs as here. */
const dbUser = asRoot ? { uid: nobodyId, gid: nobodyId } : {};

let scratch: string;
let copyTemplate: (dataDir: string) => Promise<void>;
beforeAll(async () => {
  scratch = makeScratch();
  copyTemplate = await makeTemplate(scratch);
});
afterAll(() => removeScratch(scratch));

const drafts = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('postgres.init-')) : [];

test.concurrent.each([0, 60, 120, 200, 300, 400, 500])(
  'after a kill %i ms into initdb the next start succeeds',
  async (ms) => {
    const folder = join(scratch, `init-${ms}`);
    const holder = startHolder(['open', folder]);
    while (drafts(folder).length === 0 && !existsSync(join(folder, 'postgres'))) await sleep(2);
    await sleep(ms);
    await holder.end('SIGKILL');

    const db = await openEmbedded({ dataDir: folder });
    expect(await ask(db.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(drafts(folder)).toEqual([]);
    await db.close();
    expect(await processesLeft(folder)).toEqual([]);
  },
);

test('a start removes an unfinished cluster of an earlier start, but no foreign folder beside it', async () => {
  const folder = join(scratch, 'drafts');
  for (const name of ['postgres.init-0123456789ab', 'postgres.init-mine', 'postgres.old']) {
    mkdirSync(join(folder, name, 'base'), { recursive: true, mode: 0o755 });
    chmodSync(join(folder, name), 0o777);
  }
  chmodSync(folder, 0o711);
  const db = await openEmbedded({ dataDir: folder });
  await db.close();
  expect(readdirSync(folder).filter((name) => /init|old/.test(name))).toEqual([
    'postgres.init-mine',
    'postgres.old',
  ]);
});

test('the server shuts down cleanly when its parent is killed, and the next start need not wait', async () => {
  const folder = join(scratch, 'parent');
  await copyTemplate(folder);
  const holder = startHolder(['open', folder]);
  await opened(holder);
  await holder.end('SIGKILL');
  expect(await processesLeft(folder)).toEqual([]);
  expect(readFileSync(join(folder, 'postgres.log'), 'utf8')).not.toContain('not properly shut down');

  const again = startHolder(['open', folder]);
  await opened(again);
  await again.end('SIGKILL');
  const db = await openEmbedded({ dataDir: folder });
  expect(await ask(db.url, 'select one from kept')).toEqual([{ one: 1 }]);
  await db.close();
});

test('without setpriv an orphaned server keeps running until the next start stops it', async () => {
  const folder = join(scratch, 'orphan');
  const path = join(scratch, 'path');
  mkdirSync(path);
  for (const name of ['sh', 'id', 'rm', 'sync']) {
    symlinkSync(
      spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim(),
      join(path, name),
    );
  }
  await copyTemplate(folder);
  const holder = startHolder(['open', folder], {
    env: { PATH: path },
  });
  await opened(holder);
  const orphan = postmasterOf(join(folder, 'postgres'));
  await holder.end('SIGKILL');
  await sleep(500);
  expect(isRunning(orphan)).toBe(true);

  const db = await openEmbedded({ dataDir: folder });
  expect(postmasterOf(join(folder, 'postgres'))).not.toBe(orphan);
  expect(isRunning(orphan)).toBe(false);
  expect(await ask(db.url, 'select one from kept')).toEqual([{ one: 1 }]);
  await db.close();
  expect(await processesLeft(folder)).toEqual([]);
});

test('a server that another program started on the cluster is left running and named', async () => {
  const folder = join(scratch, 'foreign');
  await copyTemplate(folder);
  const place = await findPlace(folder, () => undefined);
  const native = await findBinaries(place.user, place.base, () => undefined);
  const args = [
    '-D',
    place.cluster,
    '-c',
    'listen_addresses=',
    '-c',
    `unix_socket_directories=${place.cluster}`,
  ];
  const foreign = spawn(join(native, 'bin', 'postgres'), args, {
    ...dbUser,
    cwd: '/',
    env: {},
    stdio: 'ignore',
  });
  const ended = once(foreign, 'exit');
  while (!existsSync(join(place.cluster, '.s.PGSQL.5432'))) await sleep(20);

  await expect(openEmbedded({ dataDir: folder })).rejects.toThrow(
    new RegExp(
      `уже (работает PostgreSQL, запущенный не Пропуском \\(процесс ${foreign.pid}\\)|открыта этим процессом)`,
    ),
  );
  expect(foreign.exitCode).toBe(null);
  foreign.kill('SIGINT');
  await ended;
});

test.concurrent.each([
  ['empty', async () => ({ text: '', free: () => undefined })],
  ['not a number', async () => ({ text: 'garbage\n', free: () => undefined })],
  [
    'of a dead process',
    async () => ({ text: (old: string) => old.replace(/^\d+/, String(deadPid())), free: () => undefined }),
  ],
  ["a live stranger's of the same user", async () => strangers('echo $$; exec sleep 60')],
  ["a zombie's", async () => strangers('sleep 0.01 & echo $!; exec sleep 60')],
])('a postmaster.pid and a socket’s lock that are %s do not stop a start', async (name, prepare) => {
  const folder = join(scratch, `pid-${name.replaceAll(/\W/g, '-')}`);
  await copyTemplate(folder);
  const db = await openEmbedded({ dataDir: folder });
  const file = join(folder, 'postgres', 'postmaster.pid');
  const old = readFileSync(file, 'utf8');
  process.kill(postmasterOf(join(folder, 'postgres')), 'SIGKILL');
  await db.exited;
  await db.close();
  expect(await processesLeft(join(folder, 'postgres'))).toEqual([]);

  const { text, free } = await prepare();
  writeFileSync(file, typeof text === 'string' ? text : text(old));
  const lock = join(folder, 'postgres', '.s.PGSQL.5432.lock');
  const lockText = readFileSync(lock, 'utf8');
  writeFileSync(lock, typeof text === 'string' ? text : text(lockText));
  const again = await openEmbedded({ dataDir: folder });
  expect(await ask(again.url, 'select one from kept')).toEqual([{ one: 1 }]);
  await again.close();
  free();
});

test.concurrent('a fast shutdown that hangs is followed by an immediate one after 8 s', async () => {
  const folder = join(scratch, 'hanging');
  await copyTemplate(folder);
  const db = await openEmbedded({ dataDir: folder });
  const client = new pg.Client({ connectionString: db.url });
  client.on('error', () => undefined);
  await client.connect();
  const backend = Number((await client.query('select pg_backend_pid() as pid')).rows[0].pid);
  process.kill(backend, 'SIGSTOP');
  setTimeout(() => process.kill(backend, 'SIGCONT'), 8_500);
  const [began, elapsed] = [Date.now(), stopwatch()];
  await db.close();
  expect(Date.now() - began).toBeGreaterThan(8_000);
  expect(elapsed()).toBeLessThan(12_000);
  expect(readFileSync(join(folder, 'postgres.log'), 'utf8')).toMatch(
    /fast shutdown request[^]*immediate shutdown request/,
  );
  expect(await processesLeft(folder)).toEqual([]);
  await client.end().catch(() => undefined);
});

test('a kill -9 of the server is detected, and no acknowledged row is lost', async () => {
  const folder = join(scratch, 'durable');
  await copyTemplate(folder);
  const lock = await lockDataDir(folder);
  let db = await openEmbedded({ dataDir: folder });
  const { url } = db;
  await ask(url, 'create table acknowledged (writer int, n int)');
  for (let round = 0; round < 3; round += 1) {
    const before = Number((await ask(url, 'select count(*) as n from acknowledged'))[0]?.n);
    let acknowledgedRows = 0;
    const count = () => void (acknowledgedRows += 1);
    const written = Array.from({ length: 4 }, async (_, writer) =>
      insertUntilCut(url, round * 10 + writer, count),
    );
    await expect.poll(() => acknowledgedRows, { interval: 5 }).toBeGreaterThan(100);
    process.kill(postmasterOf(join(folder, 'postgres')), 'SIGKILL');
    const counts = await Promise.all(written);
    expect(await db.exited).toEqual({ code: null, signal: 'SIGKILL' });

    // Open the database again without close(), as the supervisor does after a crash.
    db = await openEmbedded({ dataDir: folder });
    expect(db.url).toBe(url);
    const kept = await ask(
      url,
      `select writer, count(*)::int as n from acknowledged where writer >= ${round * 10} group by 1 order by 1`,
    );
    const acknowledged = counts.reduce((sum, n) => sum + n, 0);
    for (const [writer, n] of counts.entries()) {
      // One more row may have been committed without its acknowledgement.
      expect([n, n + 1]).toContain(kept.find((row) => row.writer === round * 10 + writer)?.n ?? 0);
    }
    expect(Number((await ask(url, 'select count(*) as n from acknowledged'))[0]?.n)).toBeGreaterThanOrEqual(
      before + acknowledged,
    );
  }
  await db.close();
  await lock.release();
});

async function insertUntilCut(url: string, writer: number, onRow: () => void): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  for (let n = 0; ; n += 1) {
    try {
      await client.query('insert into acknowledged values ($1, $2)', [writer, n]);
      onRow();
    } catch {
      await client.end().catch(() => undefined);
      return n;
    }
  }
}

function deadPid(): number {
  return spawnSync('true').pid;
}

/** Starts a process of the database's user; its script prints the pid that a stale file then names. */
async function strangers(script: string): Promise<{ text: (old: string) => string; free: () => void }> {
  const shell = spawn('sh', ['-c', script], { ...dbUser, cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(shell.stdout, 'data')) as [Buffer];
  await sleep(100);
  return { text: (old) => old.replace(/^\d+/, String(line).trim()), free: () => void shell.kill() };
}
