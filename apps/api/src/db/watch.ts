import { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { connectionConfig, type OpenDb } from './open.ts';

/** Milliseconds between ticks, and how many ticks an answer may take. The watchdog detects silence within 1.75 s. */
const TICK_MS = 250;
const PATIENCE = 6;
/** Ticks that connecting may take: DNS, TCP and authentication take longer than a query. */
const CONNECT_PATIENCE = 20;

export interface Watch {
  /** Whether the database has stopped answering. Callers must not query it then. */
  isSilent(): boolean;
  close(): void;
}

/**
 * Queries the database four times a second on its own connection. A frozen database, or a network that drops every packet,
 * breaks no connection and ignores `statement_timeout`: a query would wait forever. When the watchdog gets no answer, it
 * destroys every connection, so that pending queries fail at once. Slow statements of other connections do not count as
 * silence. A refused connection does not either: queries fail by themselves.
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
    // Ticks, not time: a blocked event loop delays reading an answer that has already arrived.
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
  // The query fails as well; without a listener the error would end the process.
  client.on('error', () => {});
  return { socket, client, ready: client.connect(), isReady: false };
}
