import { existsSync } from 'node:fs';
import { readConfig } from '@propusk/api/config';
import { lockDataDir } from '@propusk/embedded-postgres/data-dir-lock';
import { findRunning } from '@propusk/embedded-postgres/find-running';
import { backupPhrases } from '@propusk/phrases/launcher';
import { runCommand, say } from '../command.ts';
import { existingSecrets } from '../secrets.ts';
import { BackupRefused } from './backup-refused.ts';
import { explainBackup, fileArgument, openDatabase, readPassphrase } from './command-line.ts';
import { dump } from './dump.ts';
import { refuseUnfinished } from './restore-marker.ts';
import { sealedForBackup } from './sealed-key.ts';

const WITHOUT_RECORDS = '--without-records';

/**
 * `npm run backup -- FILE [--without-records]`: writes the database and the secrets into one file, whether the product runs or
 * not. The option leaves the records of access out.
 */
await runCommand(async () => {
  const args = process.argv.slice(2);
  const path = fileArgument(
    'backup',
    args.filter((arg) => arg !== WITHOUT_RECORDS),
  );
  const records = !args.includes(WITHOUT_RECORDS);
  if (existsSync(path)) throw new BackupRefused(backupPhrases.fileExists(path));
  const { dataDir, databaseUrl } = readConfig(process.env);
  refuseUnfinished(dataDir);
  await using opened = new AsyncDisposableStack();
  const url = databaseUrl ?? (await openOrFind(dataDir, opened));
  const secrets = await existingSecrets(dataDir, process.env);
  const passphrase = await readPassphrase(process.env, true);
  const extensionKey = await sealedForBackup(process.env.SEALED_KEY, passphrase);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'])
    process.on(signal, () => process.exit(130));
  const { tables } = await dump(url, secrets, passphrase, path, { records, extensionKey });
  const rows = Object.values(tables).reduce((sum, held) => sum + held, 0);
  say(backupPhrases.done(path, rows));
  if (!records) say(backupPhrases.withoutRecords());
  return 0;
}, explainBackup);

/** @returns the url of the running embedded database, or of one that is opened until `opened` is disposed */
async function openOrFind(dataDir: string, opened: AsyncDisposableStack): Promise<string> {
  const found = await findRunning(dataDir);
  if (found !== null) return found;
  const lock = await lockDataDir(dataDir);
  opened.defer(lock.release);
  return openDatabase(dataDir, opened);
}
