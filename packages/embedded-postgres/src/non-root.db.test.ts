import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  ask,
  asRoot,
  canPlayOrdinary,
  holderScript,
  makeScratch,
  opened,
  ordinary,
  postmasterOf,
  processesLeft,
  removeScratch,
  rootOnly,
  startHolder,
} from '@propusk/test-kit/embedded/scratch';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEmbedded } from './open.ts';

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

describe.skipIf(asRoot && !canPlayOrdinary)(
  `as an ordinary user${asRoot && !canPlayOrdinary ? ' (skipped: cannot read this clone)' : ''}`,
  () => {
    const as = asRoot ? ordinary : undefined;
    const uid = as?.uid ?? process.getuid?.();
    let dataDir: string;
    beforeEach(() => {
      const own = join(scratch, 'own');
      mkdirSync(own, { mode: 0o700 });
      if (as) chownSync(own, as.uid, as.gid);
      dataDir = join(own, 'data');
    });

    test('the server is that user, in a folder closed to all others', async () => {
      const holder = startHolder(['open', dataDir], { as });
      expect((await opened(holder)).rows).toEqual([['propusk']]);
      expect(readFileSync(`/proc/${postmasterOf(join(dataDir, 'postgres'))}/status`, 'utf8')).toContain(
        `Uid:\t${uid}\t`,
      );
      expect(statSync(dataDir)).toMatchObject({ uid, mode: 0o040700 });
      await holder.end();
      expect(await processesLeft(dataDir)).toEqual([]);
    });

    test('a folder that the user may not write to is refused in one line', async () => {
      const dir = join(scratch, 'locked');
      mkdirSync(dir, { mode: 0o555 });
      const holder = startHolder(['open', join(dir, 'data')], { as });
      expect(await holder.line).toMatch(
        /^REFUSED StartError: Не удалось создать папку данных \S+ \(DATA_DIR\): не хватает прав\.$/,
      );
    });

    test.skipIf(!asRoot)(
      `root opens the database of an ordinary user as that user, who cannot open the database of root${rootOnly}`,
      async () => {
        const holder = startHolder(['open', dataDir, 'create table kept as select 1 as one'], { as });
        await opened(holder);
        await holder.end();
        chmodSync(dirname(dataDir), 0o711);
        const db = await openEmbedded({ dataDir });
        expect(await ask(db.url, 'select current_user::text as who, 1 as one')).toEqual([
          { who: 'propusk', one: 1 },
        ]);
        expect(readFileSync(`/proc/${postmasterOf(join(dataDir, 'postgres'))}/status`, 'utf8')).toContain(
          `Uid:\t${uid}\t`,
        );
        await db.close();

        const roots = join(scratch, 'roots');
        await once(roots, 'select 1');
        chmodSync(roots, 0o777);
        for (const name of ['propusk.lock']) chmodSync(join(roots, name), 0o666);
        const refused = startHolder(['open', roots], { as });
        expect(await refused.line).toMatch(
          /^REFUSED StartError: База данных \S+ создана пользователем № 65534, а сейчас запуск от daemon/,
        );
      },
    );

    const canUnshare =
      spawnSync('sh', ['-c', 'unshare --map-root-user true'], { ...as, cwd: '/' }).status === 0;
    test.skipIf(!canUnshare)(
      `the root of a rootless container can lock a data folder, and gets an error that explains why it cannot open it${canUnshare ? '' : ' (skipped: no user namespaces)'}`,
      () => {
        const play = (mode: string) =>
          spawnSync(
            'timeout',
            ['2', 'unshare', '--map-root-user', process.execPath, holderScript, mode, dataDir],
            { ...as, cwd: '/', encoding: 'utf8' },
          ).stdout;
        expect(play('lock')).toBe('LOCKED\n');
        expect(play('open')).toMatch(
          /^REFUSED StartError: PostgreSQL от root не работает, а сменить пользователя на 65534/,
        );
      },
    );

    test.skipIf(!asRoot)(
      `a uid without a passwd entry is refused with advice to add one${rootOnly}`,
      async () => {
        const own = join(scratch, 'nameless');
        mkdirSync(own);
        chownSync(own, 54_321, 54_321);
        const holder = startHolder(['open', join(own, 'data')], { as: { uid: 54_321, gid: 54_321 } });
        expect(await holder.line).toMatch(
          /^REFUSED StartError: У пользователя с номером 54321 нет записи в \/etc\/passwd/,
        );
      },
    );
  },
);
