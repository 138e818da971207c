import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@propusk/api/config';
import { lockDataDir } from '@propusk/embedded-postgres/data-dir-lock';
import { backupPhrases } from '@propusk/phrases/launcher';
import { runCommand, say } from '../command.ts';
import { placeSecrets, refuseOtherSecrets } from '../secrets.ts';
import { BackupRefused } from './backup-refused.ts';
import { explainBackup, fileArgument, openDatabase, unlock } from './command-line.ts';
import { checkEmpty, checkMigration, load } from './load.ts';
import { readHeader, readThrough } from './reader.ts';
import { markFinished, markUnfinished, refuseUnfinished } from './restore-marker.ts';

/** Files that the lock of the data folder leaves behind. */
const lockFiles = new Set(['propusk.lock', 'propusk.pid']);

/** `npm run restore -- FILE`: restores a backup into an empty data folder and an empty database. */
await runCommand(async () => {
  process.on('disconnect', () => process.exit(130));
  const path = fileArgument('restore');
  const { dataDir, databaseUrl } = readConfig(process.env);
  // All refusals come before the first write.
  await refuseTaken(dataDir);
  const header = await readHeader(path);
  await checkMigration(header);
  if (databaseUrl !== undefined) await checkEmpty(databaseUrl);
  const { passphrase, keys } = await unlock(header, process.env);
  const backup = await readThrough(path, keys);
  refuseOtherSecrets(backup.contents.keys, process.env);

  await using opened = new AsyncDisposableStack();
  const lock = await lockDataDir(dataDir);
  opened.defer(lock.release);
  refuseFull(dataDir);
  markUnfinished(dataDir);
  const url = databaseUrl ?? (await openDatabase(dataDir, opened));
  try {
    await load(url, backup);
  } catch (error) {
    const reason = explainBackup(error).replace(/[.\s]+$/, '');
    throw new BackupRefused(backupPhrases.restoreFailed(reason, dataDir));
  }
  await placeSecrets(dataDir, backup.contents.keys, process.env);
  markFinished(dataDir);
  await opened.disposeAsync();
  say(backupPhrases.restored(backup.header.created, dataDir));
  if (backup.header.records === false) say(backupPhrases.withoutRecords());
  // `propusk restore` sets SEALED_KEY only when it runs as root. It then moves the file to the folder of the settings.
  const { extensionKey } = backup.contents;
  if (extensionKey && process.env.SEALED_KEY) writeFileSync(process.env.SEALED_KEY, extensionKey);
  // Set by the `propusk` command of the Debian package.
  const next = process.env.NEXT_PASSPHRASE;
  if (next && next !== passphrase) say(backupPhrases.nextPassphrase(next));
  return 0;
}, explainBackup);

/** @throws StartError when a product runs on the folder; BackupRefused when the folder is not empty */
async function refuseTaken(dataDir: string): Promise<void> {
  if (!existsSync(dataDir)) return;
  // A lock creates its file, and a refusal must write nothing, so lock only a folder that has the file.
  if (existsSync(join(dataDir, 'propusk.lock'))) await (await lockDataDir(dataDir)).release();
  refuseUnfinished(dataDir);
  refuseFull(dataDir);
}

function refuseFull(dataDir: string): void {
  const found = readdirSync(dataDir).filter((name) => !lockFiles.has(name));
  if (found.length === 0) return;
  const hasDatabase = found.some((name) => name.startsWith('postgres'));
  throw new BackupRefused(backupPhrases.folderNotEmpty(dataDir, hasDatabase ? undefined : found[0]));
}
