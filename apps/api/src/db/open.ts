import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { Kysely, type Transaction } from 'kysely';
import pg from 'pg';
import { PipelineDialect } from './pipeline-dialect.ts';
import { preparing } from './prepared.ts';
import type { Tables } from './schema.ts';

export type Db = Kysely<Tables>;
/** The transaction of a write; `http/implement.ts` opens it. */
export type Tx = Transaction<Tables>;

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** Parses ids and versions as numbers (they stay below 2^53), and times as ISO strings. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === INT8) return Number;
    if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString();
    return pg.types.getTypeParser(oid, format);
  },
};

/** The maximum number of connections for writes, sign-in, sessions, the feed and health checks. */
const CONTROL = 10;
/** The maximum numbers of connections for users' ordinary reads and for users' heavy reads. */
export const READS = 8;
export const HEAVY = 4;
/** The priority of heavy reads (nice(2)): one statement may keep a core busy for seconds. */
const LOW = 10;

export interface OpenDb {
  readonly url: string;
  readonly db: Db;
  readonly pool: pg.Pool;
  /** The pool for ordinary reads. Reads cannot take connections from writes, the feed and health checks, which use `pool`. */
  readonly reads: Db;
  /** The pool for heavy reads. A statement takes at most 5 s and one core, at low priority if PostgreSQL runs on this machine. */
  readonly heavy: Db;
  /** Creates a client outside the pools, without connecting the client. */
  client(): pg.Client;
  /** Destroys every socket, including those still connecting, so that pending queries fail at once. */
  breakOff(): void;
  close(): Promise<void>;
}

/** Settings of every connection, in the pool and outside it. */
export function connectionConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    types,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 10_000,
    lock_timeout: 3_000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: 'propusk',
  };
}

/**
 * Opens the connection pools. They connect at the first query, so this query fails if the server is unreachable.
 * @param url a postgresql:// URL; for a Unix socket, `?host=` names the socket's folder
 */
export function openDb(url: string): OpenDb {
  // Grows with database connections. Bound: 22 in the pools, 2 others (LISTEN, watch.ts). At the bound: calls wait, then get 503
  const sockets = new Set<Socket>();
  const stream = () => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  };
  const config = { ...connectionConfig(url), stream };
  const pool = openPool({ ...config, max: CONTROL });
  const db = kyselyOf(pool);
  const reads = kyselyOf(openPool({ ...config, max: READS }));
  const options = '-c max_parallel_workers_per_gather=0 -c work_mem=32MB';
  const ofHeavy = openPool({ ...config, max: HEAVY, statement_timeout: 5_000, options });
  ofHeavy.on('connect', (client) =>
    lowerPriority((client as pg.PoolClient & { processID: number }).processID),
  );
  const heavy = kyselyOf(ofHeavy);
  const breakOff = () => sockets.forEach((socket) => socket.destroy());
  const client = () => new pg.Client({ ...config, keepAlive: true });
  const close = async () => void (await Promise.all([db.destroy(), reads.destroy(), heavy.destroy()]));
  return { url, db, pool, reads, heavy, client, breakOff, close };
}

/** Lowers the priority of a PostgreSQL process if it runs on this machine as our user, as the embedded server does. */
function lowerPriority(pid: number): void {
  try {
    // If PostgreSQL runs on another machine, `pid` may be an unrelated process of this machine.
    if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('postgres:')) setPriority(pid, LOW);
  } catch {
    // The priority stays unchanged: the PostgreSQL process runs on another machine, or belongs to another user.
  }
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pipelined = { ...config, pipeline: true };
  const pool = new pg.Pool(pipelined);
  // Without a listener, the error of an idle connection would end the process. The pool replaces the connection at its next use.
  pool.on('error', () => {});
  // Without a listener, the error of a connection in use would end the process. The running query also gets the error.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function kyselyOf(pool: pg.Pool): Db {
  return new Kysely<Tables>({ dialect: new PipelineDialect({ pool: preparing(pool) }) });
}
