import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@propusk/api/config';
import { lockDataDir } from '@propusk/embedded-postgres/data-dir-lock';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import { explain } from '../product.ts';
import { placeSecrets, refuseOtherSecrets } from '../secrets.ts';
import { fileArgument, unreachable } from './backup-file.ts';
import { BackupRefused } from './backup-refused.ts';
import { checkEmpty, checkMigration, load } from './load.ts';
import { readPassphrase } from './passphrase.ts';
import { readHeader, verify } from './reader.ts';
import { markFinished, markUnfinished, refuseUnfinished } from './restore-marker.ts';

/** `npm run restore -- FILE`: a backup becomes a product in an empty data folder, and in an empty database. */
const say = (line: string) => process.stdout.write(`${line}\n`);
/** What the lock itself leaves in a folder. */
const ofLock = new Set(['propusk.lock', 'propusk.pid']);

try {
  process.on('disconnect', () => process.exit(130));
  const path = fileArgument('restore');
  const { dataDir, databaseUrl } = readConfig(process.env);
  // Everything that can be refused is refused before the first thing is written.
  await refuseTaken(dataDir);
  await checkMigration(await readHeader(path));
  if (databaseUrl !== undefined) await checkEmpty(databaseUrl);
  const backup = await verify(path, await readPassphrase(process.env, false));
  refuseOtherSecrets(backup.contents.keys, process.env);

  await using opened = new AsyncDisposableStack();
  const lock = await lockDataDir(dataDir);
  opened.defer(lock.release);
  refuseFull(dataDir);
  markUnfinished(dataDir);
  await load(databaseUrl ?? (await embedded(opened)), backup).catch(unfinished);
  await placeSecrets(dataDir, backup.contents.keys, process.env);
  markFinished(dataDir);
  await opened.disposeAsync();
  say(
    `Копия от ${backup.header.created} восстановлена в ${dataDir}. Запустите npm start: всем нужно войти заново`,
  );
  process.exit(0);

  async function embedded(stack: AsyncDisposableStack): Promise<string> {
    const database = await openEmbedded({ dataDir, onProgress: say });
    stack.defer(database.close);
    return database.url;
  }

  function unfinished(error: unknown): never {
    const reason = (unreachable(error) ?? explain(error)).replace(/[.\s]+$/, '');
    throw new BackupRefused(`${reason}. Восстановление не завершено: удалите папку ${dataDir} и повторите`);
  }
} catch (error) {
  process.stderr.write(`${unreachable(error) ?? explain(error)}\n`);
  process.exit(1);
}

/** @throws StartError when a product runs on the folder; BackupRefused when there is anything in it */
async function refuseTaken(dataDir: string): Promise<void> {
  if (!existsSync(dataDir)) return;
  // Only where a lock has been: asking for it would make one.
  if (existsSync(join(dataDir, 'propusk.lock'))) await (await lockDataDir(dataDir)).release();
  refuseUnfinished(dataDir);
  refuseFull(dataDir);
}

function refuseFull(dataDir: string): void {
  const found = readdirSync(dataDir).filter((name) => !ofLock.has(name));
  if (found.length === 0) return;
  const what = found.some((name) => name.startsWith('postgres'))
    ? 'уже есть база данных'
    : `не пусто (${found[0]})`;
  throw new BackupRefused(
    `В папке ${dataDir} ${what}: восстановить копию можно только в пустую. Укажите другой DATA_DIR`,
  );
}
