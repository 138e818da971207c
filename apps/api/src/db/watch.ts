import { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { connectionConfig, type OpenDb } from './open.ts';

/** The interval of the watchdog's ticks. */
const TICK_MS = 250;
/** The number of ticks that a query may take. The watchdog detects a silent database within 1.75 s. */
const PATIENCE = 6;
/** The maximum number of ticks for opening a connection. DNS, TCP and authentication take longer than a query. */
const CONNECT_PATIENCE = 20;

export interface Watch {
  /** Whether the database has stopped answering. Callers must not query a silent database. */
  isSilent(): boolean;
  close(): void;
}

/**
 * Queries the database four times a second on its own connection. When a database is frozen or the network drops every packet, no
 * connection breaks and `statement_timeout` has no effect. Without the watchdog, a query would wait forever. When the database
 * stops answering, the watchdog destroys every connection, so that pending queries fail at once. Slow statements on other
 * connections and refused connections do not count as silence.
 */
export function watchDatabase(opened: OpenDb, log: FastifyBaseLogger): Watch {
  let silent = false;
  let connection: Connection | null = null;
  let pending: { ticks: number } | null = null;

  async function query(own: { ticks: number }): Promise<void> {
    connection ??= openConnection(opened.url);
    const queried = connection;
    try {
      await queried.ready;
      queried.isReady = true;
      own.ticks = 0;
      await queried.client.query('select 1');
    } catch {
      queried.socket.destroy();
      if (connection === queried) connection = null;
    }
    // The query already timed out, or `disconnect` cancelled it.
    if (pending !== own) return;
    pending = null;
    if (silent) log.info('the database answers again');
    silent = false;
  }

  function tick(): void {
    if (pending === null) {
      pending = { ticks: 0 };
      void query(pending);
      return;
    }
    // Counts ticks instead of time. While the event loop is blocked, time passes, but no answer can be read.
    pending.ticks++;
    if (pending.ticks < (connection?.isReady === true ? PATIENCE : CONNECT_PATIENCE)) return;
    if (!silent) log.error('the database does not answer, its connections were destroyed');
    silent = true;
    disconnect();
    opened.breakOff();
  }

  function disconnect(): void {
    pending = null;
    connection?.socket.destroy();
    connection = null;
  }

  const timer = setInterval(tick, TICK_MS);
  return {
    isSilent: () => silent,
    close() {
      clearInterval(timer);
      disconnect();
    },
  };
}

interface Connection {
  readonly socket: Socket;
  readonly client: pg.Client;
  readonly ready: Promise<unknown>;
  isReady: boolean;
}

function openConnection(url: string): Connection {
  const socket = new Socket();
  const client = new pg.Client({ ...connectionConfig(url), stream: () => socket });
  // Without a listener, an 'error' event would end the process. The pending query reports the error.
  client.on('error', () => {});
  return { socket, client, ready: client.connect(), isReady: false };
}
