import { existsSync, rmSync } from 'node:fs';
import { readConfig } from '@propusk/api/config';
import { lockDataDir } from '@propusk/embedded-postgres/data-dir-lock';
import { findRunning } from '@propusk/embedded-postgres/find-running';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import { explain } from '../product.ts';
import { existingSecrets } from '../secrets.ts';
import { fileArgument, unreachable } from './backup-file.ts';
import { BackupRefused } from './backup-refused.ts';
import { dump } from './dump.ts';
import { readPassphrase } from './passphrase.ts';
import { refuseUnfinished } from './restore-marker.ts';

/** `npm run backup -- FILE`: everything that the product holds, as one file, while it runs or while it does not. */
const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const path = fileArgument('backup');
  if (existsSync(path)) throw new BackupRefused(`Файл ${path} уже есть: укажите другое имя`);
  const { dataDir, databaseUrl } = readConfig(process.env);
  refuseUnfinished(dataDir);
  await using opened = new AsyncDisposableStack();
  const url = databaseUrl ?? (await embedded(opened));
  const secrets = await existingSecrets(dataDir, process.env);
  const passphrase = await readPassphrase(process.env, true);
  // Ctrl-C leaves no half of a file behind.
  process.on('exit', () => rmSync(`${path}.${process.pid}.part`, { force: true }));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'])
    process.on(signal, () => process.exit(130));
  const { tables } = await dump(url, secrets, passphrase, path);
  const rows = Object.values(tables).reduce((sum, held) => sum + held, 0);
  say(`Копия готова: ${path}, строк: ${rows}. Без фразы её не открыть никому, и вам тоже`);
  await opened.disposeAsync();
  process.exit(0);

  async function embedded(stack: AsyncDisposableStack): Promise<string> {
    const found = await findRunning(dataDir);
    if (found !== null) return found;
    const lock = await lockDataDir(dataDir);
    stack.defer(lock.release);
    const database = await openEmbedded({ dataDir, onProgress: say });
    stack.defer(database.close);
    return database.url;
  }
} catch (error) {
  process.stderr.write(`${unreachable(error) ?? explain(error)}\n`);
  process.exit(1);
}
