import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import { freePort } from '@propusk/test-kit/daemon';
import { cpuOfFamily, firstMessage, MEASURED, type Pinned, pinned } from '../harness/pinned.ts';
import type { Recorded } from './statements.ts';

export interface Database extends AsyncDisposable {
  readonly url: string;
  /** Processor time so far, in seconds. */
  cpu(): number;
}

/** Starts the embedded PostgreSQL in a folder of its own, on cores in taskset's format. */
export async function startDatabase(cores: number | string): Promise<Database> {
  const started = new AsyncDisposableStack();
  const dataDir = started.use(await mkdtempDisposable(join(tmpdir(), 'propusk-bench-data-'))).path;
  await chmod(dataDir, 0o755);
  const database = await openEmbedded({ dataDir });
  started.defer(() => database.close());
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  if (!existsSync(pidFile)) throw new Error('The bench wants a data folder that its database can use');
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]);
  execFileSync('taskset', ['-a', '-cp', String(cores), String(postmaster)]);
  return {
    url: database.url,
    cpu: () => cpuOfFamily(postmaster),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export interface Server extends Pinned {
  readonly name: string;
  readonly port: number;
}

/** The secret that api and gateways share. */
export const GATEWAY_SECRET = 'the gateway secret of the bench, long enough';

/** Starts the real api on a database, on the measured core unless others are given. */
export async function startApi(url: string, cores: number | string = MEASURED): Promise<Server> {
  const port = await freePort();
  const main = fileURLToPath(import.meta.resolve('@propusk/api/main'));
  const server = pinned(cores, [process.execPath, main], {
    ipc: true,
    env: {
      ...process.env,
      DATABASE_URL: url,
      PORT: String(port),
      SECRET_KEY: 'the secret key of the bench, long enough',
      GATEWAY_SECRET,
      LOG_LEVEL: 'warn',
    },
  });
  await firstMessage(server.child, 'listening');
  return { ...server, name: 'ours', port };
}

/** Starts the bare server, on the measured core. */
export async function startBare(url: string, recorded: Recorded): Promise<Server> {
  const path = fileURLToPath(import.meta.resolve('./bare.ts'));
  const server = pinned(MEASURED, [process.execPath, path], { ipc: true });
  server.child.send({ url, recorded });
  const { port } = await firstMessage<{ port: number }>(server.child, 'listening');
  return { ...server, name: 'bare', port };
}
