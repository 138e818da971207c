import { Socket } from 'node:net';
import { Kysely, type Transaction } from 'kysely';
import pg from 'pg';
import { PipelineDialect } from './pipeline-dialect.ts';
import { preparing } from './prepared.ts';
import type { Tables } from './schema.ts';

export type Db = Kysely<Tables>;
/** Every write happens in one: see `http/implement.ts`. */
export type Tx = Transaction<Tables>;

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/** How columns arrive: ids and versions as numbers (they stay below 2^53), times as ISO texts. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (oid === INT8) return Number;
    if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString();
    return pg.types.getTypeParser(oid, format);
  },
};

export interface OpenDb {
  readonly url: string;
  readonly db: Db;
  readonly pool: pg.Pool;
  /** A connection beside the pool, not made yet. */
  client(): pg.Client;
  /** Ends every connection as a broken line would, those that are being made too: what waits on them fails at once. */
  breakOff(): void;
  close(): Promise<void>;
}

/** Settings of every connection, the pool's and the feed's listener. */
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
 * Opens a pool on a PostgreSQL. Nothing is asked yet: the first query tells whether the server is there.
 * @param url postgresql://… with TCP or a socket folder as `?host=`
 */
export function openDb(url: string): OpenDb {
  // grows: by the pool; bound: 20 connections and those that listen and watch; at the bound: calls wait for a
  // connection, then 503; test: apps/api/test/faults/away.db.test.ts
  const sockets = new Set<Socket>();
  const stream = () => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  };
  const config = { ...connectionConfig(url), stream };
  const pooled = { ...config, max: 20, pipeline: true };
  const pool = new pg.Pool(pooled);
  // An idle connection that breaks is replaced on next use; without a listener it would end the process.
  pool.on('error', () => {});
  // One that breaks under a query: the query itself is told, the process must not be.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PipelineDialect({ pool: preparing(pool) }) });
  const breakOff = () => sockets.forEach((socket) => socket.destroy());
  const client = () => new pg.Client({ ...config, keepAlive: true });
  return { url, db, pool, client, breakOff, close: () => db.destroy() };
}
