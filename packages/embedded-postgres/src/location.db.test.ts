import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  ask,
  asRoot,
  makeScratch,
  opened,
  postmasterOf,
  processesLeft,
  removeScratch,
  rootOnly,
  startHolder,
} from '@propusk/test-kit/embedded/scratch';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nobodyId, sharedRoot } from './location.ts';
import { openEmbedded } from './open.ts';

/** The folders under /var/lib/propusk that did not exist before these tests, to be removed after them. */
let made: string[];
beforeAll(() => {
  made = [sharedRoot, join(sharedRoot, 'bin'), join(sharedRoot, 'data')].filter((path) => !existsSync(path));
});
afterAll(() => {
  if (made.includes(join(sharedRoot, 'bin')))
    rmSync(join(sharedRoot, 'bin'), { recursive: true, force: true });
  for (const path of made.toReversed()) {
    // Leave a folder that is not empty: another process uses it by now.
    try {
      rmdirSync(path);
    } catch {}
  }
});

let scratch: string;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => removeScratch(scratch));

/** Opens, asks, closes; the progress lines are in `said`. */
async function once(dataDir: string, sql: string, said: string[] = []) {
  const db = await openEmbedded({ dataDir, onProgress: (line) => said.push(line) });
  return ask(db.url, sql).finally(() => db.close());
}

const nobodyReads = (file: string) =>
  spawnSync('cat', [file], { uid: nobodyId, gid: nobodyId, cwd: '/' }).status === 0;

describe.skipIf(!asRoot)(`as root${rootOnly}`, () => {
  test('the server is nobody, without groups, and a key beside it stays unreadable to nobody', async () => {
    const dataDir = join(scratch, 'data');
    const db = await openEmbedded({ dataDir });
    writeFileSync(join(dataDir, 'key'), 'secret', { mode: 0o600 });
    const status = readFileSync(`/proc/${postmasterOf(join(dataDir, 'postgres'))}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
    expect(status).toMatch(/^Gid:\t65534\t65534\t65534\t65534$/m);
    expect(status).toMatch(/^Groups:\s*$/m);
    expect(statSync(join(dataDir, 'postgres'))).toMatchObject({ uid: nobodyId, mode: 0o040700 });
    expect(statSync(dataDir)).toMatchObject({ uid: 0, mode: 0o040710 });
    for (const name of ['key', 'postgres.log', 'propusk.lock', 'propusk.pid']) {
      expect([name, nobodyReads(join(dataDir, name))]).toEqual([name, false]);
    }
    await db.close();
  });

  test('a private data folder stays private: its database goes to /var/lib/propusk, and the start prints the path', async () => {
    const dataDir = join(scratch, 'private', 'data');
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    chmodSync(dirname(dataDir), 0o700);
    writeFileSync(join(dataDir, 'key'), 'secret', { mode: 0o644 });
    const said: string[] = [];
    await once(dataDir, 'create table kept as select 1 as one', said);

    expect(said[0]).toMatch(
      /^PostgreSQL от root не работает, а пользователь nobody не может войти в \S+: база данных будет лежать в \/var\/lib\/propusk\/data\/data-[0-9a-f]{8}\.$/,
    );
    expect(statSync(dirname(dataDir)).mode & 0o777).toBe(0o700);
    expect(nobodyReads(join(dataDir, 'key'))).toBe(false);
    expect(readdirSync(dataDir).sort()).toEqual(['key', 'postgres.location', 'postgres.log', 'propusk.lock']);

    // The data folder still leads to the same database, also after it was moved, and after nobody got access to it.
    expect(await once(dataDir, 'select one from kept')).toEqual([{ one: 1 }]);
    const moved = join(scratch, 'private', 'moved');
    renameSync(dataDir, moved);
    expect(await once(moved, 'select one from kept')).toEqual([{ one: 1 }]);
    chmodSync(dirname(moved), 0o711);
    expect(await once(moved, 'select one from kept')).toEqual([{ one: 1 }]);

    // A copy of the folder would share the database, and is refused. A missing database is refused too.
    cpSync(moved, join(scratch, 'copy'), { recursive: true });
    await expect(openEmbedded({ dataDir: join(scratch, 'copy') })).rejects.toThrow(
      / — копия папки \S+\/moved, и база/,
    );
    rmSync(join(scratch, 'copy'), { recursive: true });
    const { home } = JSON.parse(readFileSync(join(moved, 'postgres.location'), 'utf8')) as { home: string };
    renameSync(join(home, 'postgres'), join(home, 'away'));
    await expect(openEmbedded({ dataDir: moved })).rejects.toThrow(/но её там нет: верните её на место\./);
    renameSync(join(home, 'away'), join(home, 'postgres'));

    // A new folder of the same name gets a new database, and the old one stays intact.
    const record = readFileSync(join(moved, 'postgres.location'));
    rmSync(join(moved, 'postgres.location'));
    chmodSync(dirname(moved), 0o700);
    await expect(once(moved, 'select one from kept')).rejects.toThrow(/relation "kept" does not exist/);
    removeHome(moved);
    writeFileSync(join(moved, 'postgres.location'), record);
    expect(await once(moved, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  test('a start recovers from a kill between the choice of the folder and the end of initdb', async () => {
    const dataDir = join(scratch, 'private');
    mkdirSync(dataDir, { mode: 0o700 });
    const holder = startHolder(['open', dataDir]);
    while (!existsSync(join(dataDir, 'postgres.log'))) await new Promise((resolve) => setTimeout(resolve, 5));
    await holder.end('SIGKILL');
    expect(await once(dataDir, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a damaged location record is refused, and it never leads out of /var/lib/propusk', async () => {
    const dataDir = join(scratch, 'data');
    mkdirSync(dataDir, { mode: 0o711 });
    for (const text of [
      '',
      '{"home":',
      'null',
      '{"home":"/etc"}',
      '{"home":"/var/lib/propusk/data/../../x"}',
    ]) {
      writeFileSync(join(dataDir, 'postgres.location'), text);
      await expect(openEmbedded({ dataDir })).rejects.toThrow(/postgres\.location испорчен/);
    }
    rmSync(join(dataDir, 'postgres.location'));
  });

  test('a database whose folder became inaccessible is not recreated: the start names the folder to open', async () => {
    const dataDir = join(scratch, 'data');
    await once(dataDir, 'select 1');
    chmodSync(scratch, 0o700);
    await expect(openEmbedded({ dataDir })).rejects.toThrow(
      /пользователь nobody.*не может туда войти.*chmod o\+x/,
    );
    expect(existsSync(join(dataDir, 'postgres.location'))).toBe(false);
    chmodSync(scratch, 0o711);
    expect(await once(dataDir, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a cluster owned by root is refused with the command that fixes it', async () => {
    const dataDir = join(scratch, 'data');
    await once(dataDir, 'select 1');
    chownSync(join(dataDir, 'postgres'), 0, 0);
    await expect(openEmbedded({ dataDir })).rejects.toThrow(`chown -R 65534:65534 ${dataDir}/postgres`);
  });
});

describe.skipIf(!asRoot)(`a clone under a folder that only root may enter${rootOnly}`, () => {
  test('a database of a private clone runs from a copy of the programs in /var/lib/propusk, made once', async () => {
    const clone = join(scratch, 'clone');
    mkdirSync(clone, { mode: 0o700 });
    const script = copyClone(clone);
    const dataDir = join(clone, 'data');
    // A process killed while copying, outside this test, leaves a draft for some minutes.
    const drafts = () =>
      existsSync(join(sharedRoot, 'bin'))
        ? readdirSync(join(sharedRoot, 'bin')).filter((name) => name.startsWith('.'))
        : [];
    const before = drafts();

    const first = startHolder(['open', dataDir, 'create table kept as select 1 as one'], { script });
    const { said } = await opened(first);
    if (made.includes(join(sharedRoot, 'bin'))) {
      expect(said).toContainEqual(
        expect.stringMatching(/^Программы PostgreSQL .* копируются в \/var\/lib\/propusk\/bin\//),
      );
    }
    expect(said).toContainEqual(
      expect.stringContaining('база данных будет лежать в /var/lib/propusk/data/data-'),
    );
    const { home } = JSON.parse(readFileSync(join(dataDir, 'postgres.location'), 'utf8')) as { home: string };
    const pid = postmasterOf(join(home, 'postgres'));
    expect(readlinkSync(`/proc/${pid}/exe`)).toMatch(
      /^\/var\/lib\/propusk\/bin\/18\.\S+\/native\/bin\/postgres$/,
    );
    expect(statSync(clone).mode & 0o777).toBe(0o700);
    await first.end();
    expect(await processesLeft(home)).toEqual([]);

    const second = startHolder(['open', dataDir, 'select one from kept'], { script });
    expect(await opened(second)).toMatchObject({
      rows: [[1]],
      said: [`База данных этой папки лежит в ${home}.`],
    });
    await second.end();
    expect(drafts().filter((name) => !before.includes(name))).toEqual([]);
  });
});

function removeHome(dataDir: string): void {
  const { home } = JSON.parse(readFileSync(join(dataDir, 'postgres.location'), 'utf8')) as { home: string };
  rmSync(home, { recursive: true });
}

/**
 * Copies the test program that holds the database open, with the packages that it needs, into a folder laid out like a clone
 * of the repository. @returns the program's path
 */
function copyClone(clone: string): string {
  const packages = join(import.meta.dirname, '..', '..');
  mkdirSync(join(clone, 'node_modules', '@propusk'), { recursive: true });
  for (const name of ['embedded-postgres', 'phrases', 'processes', 'test-kit']) {
    for (const part of ['package.json', name === 'test-kit' ? 'src/embedded' : 'src']) {
      cpSync(join(packages, name, part), join(clone, 'packages', name, part), { recursive: true });
    }
    symlinkSync(join('..', '..', 'packages', name), join(clone, 'node_modules', '@propusk', name));
  }
  writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
  const wanted = new Map<string, string>();
  const collect = (name: string, from: string) => {
    if (wanted.has(name)) return;
    const root = packageRoot(createRequire(from).resolve(name), name);
    wanted.set(name, root);
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies?: object;
    };
    for (const dependency of Object.keys(dependencies)) collect(dependency, join(root, 'package.json'));
  };
  collect('pg', import.meta.filename);
  collect(`@embedded-postgres/${process.platform}-${process.arch}`, import.meta.filename);
  for (const [name, root] of wanted) {
    cpSync(root, join(clone, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
  }
  return join(clone, 'packages', 'test-kit', 'src', 'embedded', 'holder.ts');
}

function packageRoot(entry: string, name: string): string {
  const marker = join('node_modules', name);
  return entry.slice(0, entry.lastIndexOf(marker) + marker.length);
}
