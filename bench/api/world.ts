import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { firstMessage, MEASURED, type Pinned, pinned } from '../harness/pinned.ts';
import { startDatabase } from './database.ts';
import { COMPANIES, fill, OWNERS, type Owner } from './fill.ts';
import { type Server, startApi } from './server.ts';
import { type Recorded, recordStatements } from './statements.ts';

export interface World {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly recorded: Recorded;
  readonly owners: readonly Owner[];
  readonly ours: Server;
  readonly bare: Server;
  /** Processor time of the database so far, in seconds. */
  databaseCpu(): number;
  stop(): Promise<void>;
}

/** Starts the api and the bare server on one embedded PostgreSQL, all on the measured core. */
export async function startWorld(): Promise<World> {
  const database = await startDatabase(MEASURED);
  const running: Pinned[] = [];
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  // The pool ends with this process, so a lost connection is expected.
  pool.on('error', () => {});
  try {
    const { url } = database;
    const ours = await startApi(url, running);
    // Enough companies that writers rarely meet in one, and none reaches its limit.
    const owners = await fill(pool, { companies: 64, sites: 30, policies: 3, owners: 64 });
    const actor = { userId: OWNERS, companyId: COMPANIES, roles: ['CREATOR'] as const };
    const rest = { tokenHash: Buffer.alloc(32), address: '127.0.0.1', lacksFactor: false };
    const recorded = await recordStatements(url, { ...actor, ...rest });
    return {
      url,
      pool,
      recorded,
      owners,
      ours,
      bare: await startBare(url, recorded, running),
      databaseCpu: database.cpu,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }

  async function stop(): Promise<void> {
    for (const each of running) await each.stop();
    await pool.end();
    await database.stop();
  }
}

async function startBare(url: string, recorded: Recorded, running: Pinned[]): Promise<Server> {
  const path = fileURLToPath(import.meta.resolve('./bare.ts'));
  const server = pinned(MEASURED, [process.execPath, path], { ipc: true });
  running.push(server);
  server.child.send({ url, recorded });
  const { port } = await firstMessage<{ port: number }>(server.child, 'listening');
  return { name: 'bare', process: server, port };
}
