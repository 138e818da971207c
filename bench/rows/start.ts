import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import { freePort } from '@propusk/test-kit/gateway/upstreams';
import { median, middleLine, type Row } from '../harness/row.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The time until `npm start` serves, beside the start of its database. */
export const row: Row = {
  name: 'start',
  title: 'Start: `npm start` to health 200, with its data folder made before',
  quick: false,
  run: async ({ rounds }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'propusk-bench-start-'));
    await chmod(dataDir, 0o755);
    try {
      const product: number[] = [];
      const database: number[] = [];
      // The first start builds the console and creates the folder.
      await startAndStop(dataDir);
      for (let round = 0; round < rounds; round++) {
        product.push(await startAndStop(dataDir));
        const started = performance.now();
        const opened = await openEmbedded({ dataDir });
        database.push(performance.now() - started);
        await opened.close();
      }
      const more = median(product.map((each, i) => each - (database[i] ?? Number.NaN)));
      return {
        tables: [
          {
            title: 'Time',
            head: ['', 'ms', 'spread'],
            lines: [middleLine('npm start', product), middleLine('the database alone', database)],
          },
        ],
        ratios: [{ what: 'More than the database', value: more, bar: 1_500, atLeast: false, unit: ' ms' }],
        notes: ['From the start of npm itself to the first 200. Any core.'],
      };
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

/** @returns milliseconds from the command to health 200 @throws Error when the product exits before */
async function startAndStop(dataDir: string): Promise<number> {
  const port = await freePort();
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: String(port),
    GATEWAY_PORT: String(await freePort()),
  };
  const started = performance.now();
  const child = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => (said += data));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = started + 120_000;
  for (;;) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`npm start failed: ${said}`);
    const healthy = await fetch(`http://127.0.0.1:${port}/api/health`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (healthy) break;
    await sleep(10);
  }
  const took = performance.now() - started;
  child.kill('SIGTERM');
  await ended;
  return took;
}
