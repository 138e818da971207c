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

export interface OpenDb {
  readonly url: string;
  readonly db: Db;
  readonly pool: pg.Pool;
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
 * Opens a pool. It connects lazily: an unreachable server fails the first query.
 * @param url postgresql://… with TCP or a socket folder as `?host=`
 */
export function openDb(url: string): OpenDb {
  // grows: by the pool; bound: 20 connections, and those of LISTEN and of the watch; at the bound: calls wait for a
  // connection, then 503
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
  // A connection that breaks during a query already fails the query; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PipelineDialect({ pool: preparing(pool) }) });
  const breakOff = () => sockets.forEach((socket) => socket.destroy());
  const client = () => new pg.Client({ ...config, keepAlive: true });
  return { url, db, pool, client, breakOff, close: () => db.destroy() };
}
