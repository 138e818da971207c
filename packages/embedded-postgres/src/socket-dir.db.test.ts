import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  ask,
  asRoot,
  makeScratch,
  makeTemplate,
  opened,
  ordinary,
  removeScratch,
  startHolder,
} from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEmbedded } from './open.ts';

const socketOf = (url: string) => new URL(url.replace('@/', '@x/')).searchParams.get('host') ?? '';

describe('the path of the data folder', () => {
  let scratch: string;
  let deep: string;
  let copyTemplate: (dataDir: string) => Promise<void>;
  beforeAll(async () => {
    scratch = makeScratch();
    copyTemplate = await makeTemplate(scratch);
    deep = join(scratch, 'глубоко'.repeat(8));
    mkdirSync(deep, { mode: 0o711 });
  });
  afterAll(() => removeScratch(scratch));

  test.each(['Папка данных', `it's "100%", \\ #+&?=`])('a data folder named «%s» works', async (name) => {
    const db = await openEmbedded({ dataDir: join(scratch, name) });
    expect(socketOf(db.url)).toBe(join(scratch, name, 'postgres'));
    expect(await ask(db.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();
  });

  test('a path too long for a socket gets a private folder in /tmp, which close() removes', async () => {
    const dataDir = join(deep, 'data');
    const db = await openEmbedded({ dataDir });
    const folder = socketOf(db.url);
    expect(folder).toMatch(/^\/tmp\/propusk-\w{6}$/);
    expect(Buffer.byteLength(`${folder}/.s.PGSQL.5432`)).toBeLessThanOrEqual(107);
    expect(statSync(folder)).toMatchObject({
      mode: 0o040700,
      uid: asRoot ? 65_534 : process.getuid?.(),
    });
    expect(await ask(db.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(dataDir)).not.toContain('postgres.socket');
  });

  test('a start after a kill reuses the socket folder of a path that is too long', async () => {
    const dataDir = join(deep, 'killed');
    await copyTemplate(dataDir);
    const holder = startHolder(['open', dataDir]);
    const { url } = await opened(holder);
    await holder.end('SIGKILL');

    const db = await openEmbedded({ dataDir });
    expect(db.url).toBe(url);
    await db.close();
    expect(existsSync(socketOf(url))).toBe(false);
  });

  test.each([
    ['a symbolic link', () => symlinkSync(scratch, '/tmp/propusk-tr4p4p')],
    ['a folder open to others', () => mkdirSync('/tmp/propusk-tr4p4p', { mode: 0o755 })],
    [
      "another user's folder",
      () => {
        mkdirSync('/tmp/propusk-tr4p4p', { mode: 0o700 });
        if (asRoot) chownSync('/tmp/propusk-tr4p4p', ordinary.uid, ordinary.gid);
        else chmodSync('/tmp/propusk-tr4p4p', 0o777);
      },
    ],
  ])(
    'a path too long for a socket: %s is not accepted as the recorded socket folder',
    async (name, setTrap) => {
      const dataDir = join(deep, name.replaceAll(/\W/g, '-'));
      await copyTemplate(dataDir);
      writeFileSync(join(dataDir, 'postgres.socket'), '/tmp/propusk-tr4p4p');
      setTrap();
      try {
        const db = await openEmbedded({ dataDir });
        expect(socketOf(db.url)).not.toBe('/tmp/propusk-tr4p4p');
        await db.close();
        expect(existsSync('/tmp/propusk-tr4p4p')).toBe(true);
      } finally {
        rmSync('/tmp/propusk-tr4p4p', { recursive: true });
      }
    },
  );
});
