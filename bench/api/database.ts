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

/** Starts the embedded PostgreSQL in a folder of its own, on cores in taskset's format. */
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

/** The path of PostgreSQL's pid file. @throws Error when the cluster lies outside the data folder */
function pidFile(dataDir: string): string {
  const here = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(here)) throw new Error('The bench wants a data folder that its database can use');
  return here;
}
