/**
 * A process for tests to kill: `holder.ts lock|open DATA_DIR [sql]`. It prints one line (LOCKED, OPEN and JSON, or
 * REFUSED and the reason), then stays until SIGTERM. SIGINT is ignored, as the supervisor does while the api drains.
 */

import { lockDataDir } from '@propusk/embedded-postgres/data-dir-lock';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import pg from 'pg';

const [mode, dataDir = '', sql = 'select current_user'] = process.argv.slice(2);
const print = (line: string) => void process.stdout.write(`${line}\n`);
process.on('SIGINT', () => undefined);
const stay = setInterval(() => undefined, 60_000);

try {
  const lock = await lockDataDir(dataDir);
  if (mode === 'lock') {
    print('LOCKED');
    process.once('SIGTERM', () => void lock.release().then(() => clearInterval(stay)));
  } else {
    const progress: string[] = [];
    const db = await openEmbedded({ dataDir, onProgress: (line) => progress.push(line) });
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    await client.end();
    print(`OPEN ${JSON.stringify({ url: db.url, rows, said: progress })}`);
    process.once('SIGTERM', () => {
      void db
        .close()
        .then(lock.release)
        .then(() => clearInterval(stay));
    });
  }
} catch (error) {
  print(`REFUSED ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`);
  process.exit(1);
}
