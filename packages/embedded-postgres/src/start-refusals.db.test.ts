import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@propusk/processes/start-error';
import {
  asRoot,
  makeScratch,
  makeTemplate,
  processesLeft,
  removeScratch,
  rootOnly,
} from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbedded } from './open.ts';

let scratch: string;
let copyTemplate: (dataDir: string) => Promise<void>;
beforeAll(async () => {
  scratch = makeScratch();
  copyTemplate = await makeTemplate(scratch);
});
afterAll(() => removeScratch(scratch));

/** [the fault, how to cause it, the message, whether PostgreSQL itself must detect it] */
const breakages: [string, (cluster: string) => void, RegExp, boolean][] = [
  [
    'a cluster of another major version',
    (cluster) => writeFileSync(join(cluster, 'PG_VERSION'), '17\n'),
    /создана PostgreSQL 17, а нужен 18: .* Ничего не изменено\.$/,
    false,
  ],
  [
    'a PG_VERSION of garbage',
    (cluster) => writeFileSync(join(cluster, 'PG_VERSION'), '\0\0\0'),
    /повреждена \(PG_VERSION или global\/pg_control\)\. Ничего не изменено/,
    false,
  ],
  [
    'a cluster without PG_VERSION',
    (cluster) => rmSync(join(cluster, 'PG_VERSION')),
    /лежит что-то, но не база данных \(нет PG_VERSION\)\. Ничего не изменено/,
    false,
  ],
  [
    'a cluster without global/pg_control',
    (cluster) => rmSync(join(cluster, 'global', 'pg_control')),
    /повреждена \(PG_VERSION или global\/pg_control\)\. Ничего не изменено/,
    false,
  ],
  [
    'a pg_control that was cut short',
    (cluster) => truncateSync(join(cluster, 'global', 'pg_control'), 100),
    /повреждена \(PG_VERSION или global\/pg_control\)\. Ничего не изменено/,
    false,
  ],
  [
    'a pg_control of garbage',
    (cluster) => writeFileSync(join(cluster, 'global', 'pg_control'), Buffer.alloc(8192, 7)),
    /повреждена: верните её из резервной копии .* Данные не изменены\.$/,
    true,
  ],
  [
    'a cluster whose write-ahead log is gone',
    (cluster) => {
      for (const name of readdirSync(join(cluster, 'pg_wal')))
        rmSync(join(cluster, 'pg_wal', name), { recursive: true });
    },
    /повреждена: верните её из резервной копии .* Данные не изменены\.$/,
    true,
  ],
  [
    'a cluster that others may read',
    (cluster) => chmodSync(cluster, 0o755),
    /не те права или владелец: нужны владелец \S+ \(\d+\) и права 0700\. Данные не изменены\.$/,
    true,
  ],
  [
    'a setting that PostgreSQL does not know',
    (cluster) => writeFileSync(join(cluster, 'postgresql.auto.conf'), "no_such_setting = 'x'\n"),
    /не запустился: .*no_such_setting.* Подробности в \S+\/postgres\.log\.$|не запустился: .*postgresql\.auto\.conf/,
    true,
  ],
];

test.concurrent.each(breakages)(
  'the start reports %s in one line, and leaves the cluster unchanged',
  async (name, damage, message, found) => {
    const dataDir = join(scratch, name.replaceAll(/\W+/g, '-'));
    await copyTemplate(dataDir);
    const cluster = join(dataDir, 'postgres');
    damage(cluster);
    const before = fingerprint(cluster);

    const error = await openEmbedded({ dataDir }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartError);
    const { message: line } = error as StartError;
    expect(line).toMatch(message);
    expect(line).not.toContain('\n');
    if (found) expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/FATAL|PANIC|LOG/);
    expect(fingerprint(cluster)).toBe(before);
    expect(await processesLeft(dataDir)).toEqual([]);
  },
);

test('a file, or a foreign folder, at the path of the cluster is not touched', async () => {
  for (const [name, make] of [
    ['file', (cluster: string) => writeFileSync(cluster, 'mine')],
    ['folder', (cluster: string) => cpSync(import.meta.dirname, cluster, { recursive: true })],
  ] as const) {
    const dataDir = join(scratch, `taken-by-${name}`);
    mkdirSync(dataDir, { mode: 0o711 });
    make(join(dataDir, 'postgres'));
    if (asRoot) spawnSync('chown', ['-R', '65534:65534', join(dataDir, 'postgres')]);
    const before = fingerprint(dataDir);
    await expect(openEmbedded({ dataDir })).rejects.toThrow(/лежит файл: уберите его|нет PG_VERSION/);
    expect(fingerprint(join(dataDir))).toBe(before);
  }
});

const disk = asRoot ? mountDisk() : undefined;
test.skipIf(!disk)(
  `a start on a full disk fails with one line and leaves no unfinished cluster, and the next start with free space succeeds${asRoot ? '' : rootOnly}${asRoot && !disk ? ' (skipped: mount is not allowed here)' : ''}`,
  async () => {
    const mounted = disk ?? '';
    try {
      const dataDir = join(mounted, 'data');
      await expect(openEmbedded({ dataDir })).rejects.toThrow(
        /^На диске с \S+ не осталось места: освободите его/,
      );
      expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres.init'))).toEqual([]);

      resize(mounted, '200m');
      await (await openEmbedded({ dataDir })).close();
      const room = Number(
        spawnSync('df', ['--output=avail', '-B1', mounted], { encoding: 'utf8' }).stdout.split('\n')[1],
      );
      writeFileSync(join(mounted, 'filler'), Buffer.alloc(room));
      await expect(openEmbedded({ dataDir })).rejects.toThrow(/не осталось места/);
      rmSync(join(mounted, 'filler'));
      await (await openEmbedded({ dataDir })).close();
    } finally {
      shell(`umount ${mounted}`);
      rmSync(mounted, { recursive: true });
    }
  },
);

function mountDisk(): string | undefined {
  const folder = makeScratch();
  const { status } = shell(`mount -t tmpfs -o size=20m,mode=0711 tmpfs ${folder}`);
  if (status === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

function shell(command: string) {
  return spawnSync('sh', ['-c', command]);
}

function resize(folder: string, size: string): void {
  shell(`mount -o remount,size=${size} ${folder}`);
}

/** Each file but those that every start writes: its name, size, inode and when it was last written. */
function fingerprint(folder: string): string {
  if (!statSync(folder).isDirectory()) return readFileSync(folder, 'utf8');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(postgres\.log|propusk\.lock|postmaster\.opts)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => {
      const { size, ino, mtimeMs } = statSync(file);
      return `${file} ${size} ${ino} ${mtimeMs}`;
    })
    .join('\n');
}
