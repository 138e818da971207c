import { Socket } from 'node:net';
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

/** Connections for writes, sign-in, sessions, the feed and health. */
const CONTROL = 10;
/** Connections for reads of users. */
export const READS = 12;

export interface OpenDb {
  readonly url: string;
  readonly db: Db;
  readonly pool: pg.Pool;
  /** Reads of users have a pool of their own, so that they cannot take the connections of writes, the feed and health. */
  readonly reads: Db;
  /** A client outside the pool, not connected yet. */
  client(): pg.Client;
  /** Destroys every socket, also of connections in progress, so that pending queries fail at once. */
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
 * Opens the pools. They connect lazily: an unreachable server fails the first query.
 * @param url postgresql://… with TCP or a socket folder as `?host=`
 */
export function openDb(url: string): OpenDb {
  // grows: by the pools; bound: 22 connections, and those of LISTEN and of the watch; at the bound: calls wait for a
  // connection, then 503
  const sockets = new Set<Socket>();
  const stream = () => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  };
  const config = { ...connectionConfig(url), stream };
  const pool = openPool({ ...config, max: CONTROL });
  const db = kyselyOf(pool);
  const reads = kyselyOf(openPool({ ...config, max: READS, statement_timeout: 5_000 }));
  const breakOff = () => sockets.forEach((socket) => socket.destroy());
  const client = () => new pg.Client({ ...config, keepAlive: true });
  const close = async () => void (await Promise.all([db.destroy(), reads.destroy()]));
  return { url, db, pool, reads, client, breakOff, close };
}

function openPool(config: pg.PoolConfig): pg.Pool {
  const pipelined = { ...config, pipeline: true };
  const pool = new pg.Pool(pipelined);
  // An idle connection that breaks is replaced on next use; without a listener it would end the process.
  pool.on('error', () => {});
  // A connection that breaks during a query already fails the query; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function kyselyOf(pool: pg.Pool): Db {
  return new Kysely<Tables>({ dialect: new PipelineDialect({ pool: preparing(pool) }) });
}
