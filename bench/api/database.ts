import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import { cpuOfFamily } from '../harness/pinned.ts';

export interface Database {
  readonly url: string;
  readonly dataDir: string;
  /** Processor time so far, in seconds. */
  cpu(): number;
  stop(): Promise<void>;
}

/** The embedded PostgreSQL in a folder of its own, on the cores that are named as taskset takes them. */
export async function startDatabase(cores: number | string): Promise<Database> {
  const dataDir = await mkdtemp(join(tmpdir(), 'propusk-bench-data-'));
  await chmod(dataDir, 0o755);
  const database = await openEmbedded({ dataDir });
  const postmaster = Number(readFileSync(pidFile(dataDir), 'utf8').split('\n', 1)[0]);
  execFileSync('taskset', ['-a', '-cp', String(cores), String(postmaster)]);
  return {
    url: database.url,
    dataDir,
    cpu: () => cpuOfFamily(postmaster),
    async stop() {
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Where the server wrote its process id. @throws Error when the database lies in a home elsewhere */
function pidFile(dataDir: string): string {
  const here = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(here)) throw new Error('The bench wants a data folder that its database can use');
  return here;
}
