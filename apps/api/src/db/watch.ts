import { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { connectionConfig, type OpenDb } from './open.ts';

/** Milliseconds between looks, and how many of them an answer may take: silence is noticed within 1.75 s. */
const TICK_MS = 250;
const PATIENCE = 6;
/** The same for a connection to be made, which takes longer: names, addresses, signing in. */
const CONNECT_PATIENCE = 20;

export interface Watch {
  /** Whether the database has fallen silent: then nothing is to be asked of it. */
  isSilent(): boolean;
  close(): void;
}

/**
 * Asks the database for a word four times a second, on a connection of its own. One that is frozen, or behind a line that
 * swallows everything, breaks no connection and honours no `statement_timeout`: whoever asked it would wait for ever.
 * When it falls silent every connection is broken off, so that who waits is told, until it answers again. A slow
 * statement is no silence: as long as the word comes back it may take its time. A refusal is none either: queries hear it
 * for themselves.
 */
export function watchDatabase(opened: OpenDb, log: FastifyBaseLogger): Watch {
  let silent = false;
  let line: Line | null = null;
  let question: { ticks: number } | null = null;

  async function ask(own: { ticks: number }): Promise<void> {
    line ??= newLine(opened.url);
    const asked = line;
    try {
      await asked.ready;
      asked.isReady = true;
      own.ticks = 0;
      await asked.client.query('select 1');
    } catch {
      asked.socket.destroy();
      if (line === asked) line = null;
    }
    // It came too late, or we hung up ourselves.
    if (question !== own) return;
    question = null;
    if (silent) log.info('the database answers again');
    silent = false;
  }

  function look(): void {
    if (question === null) {
      question = { ticks: 0 };
      void ask(question);
      return;
    }
    // Looks, not time: while this process itself was held up an answer lay unread.
    question.ticks++;
    if (question.ticks < (line?.isReady === true ? PATIENCE : CONNECT_PATIENCE)) return;
    if (!silent) log.error('the database has fallen silent, its connections are broken off');
    silent = true;
    hangUp();
    opened.breakOff();
  }

  function hangUp(): void {
    question = null;
    line?.socket.destroy();
    line = null;
  }

  const timer = setInterval(look, TICK_MS);
  return {
    isSilent: () => silent,
    close() {
      clearInterval(timer);
      hangUp();
    },
  };
}

interface Line {
  readonly socket: Socket;
  readonly client: pg.Client;
  readonly ready: Promise<unknown>;
  isReady: boolean;
}

function newLine(url: string): Line {
  const socket = new Socket();
  const client = new pg.Client({ ...connectionConfig(url), stream: () => socket });
  // Whoever asks is told as well.
  client.on('error', () => {});
  return { socket, client, ready: client.connect(), isReady: false };
}
