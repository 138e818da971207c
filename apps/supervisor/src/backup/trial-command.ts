import { writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runCommand } from '../command.ts';
import { explainBackup, fileArgument, readPassphrase } from './command-line.ts';
import { verify } from './reader.ts';

/**
 * `trial FILE`, after a daily backup: decrypts the backup and counts its rows to the end, as a restore does before its first write.
 * The checks of the server read the result (`state/work-checks.ts` of the api).
 */
await runCommand(async () => {
  const path = fileArgument('trial');
  const note = (result: string) =>
    writeFileSync(join(dirname(path), 'last-trial'), `${basename(path)} ${result}\n`, { mode: 0o600 });
  try {
    await verify(path, await readPassphrase(process.env, false));
  } catch (error) {
    note('failed');
    throw error;
  }
  note('ok');
  return 0;
}, explainBackup);
