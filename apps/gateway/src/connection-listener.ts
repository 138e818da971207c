import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { readConnectHead } from './connect-head.ts';
import { StreamSource } from './peekable-source.ts';

/**
 * Where a connection comes in. One that asks for a tunnel in a plain way goes to the door at once; the HTTP server has all
 * others, from their first byte on.
 */

export interface ConnectionListenerOptions {
  /** How long a connection may say nothing. */
  readonly silenceMs: number;
  readonly connect: (
    authority: string,
    credentials: string | undefined,
    client: Duplex,
    asked: StreamSource,
  ) => unknown;
  /** Has the HTTP server take a connection over. */
  readonly parse: (client: Duplex, first: Buffer) => void;
  /** Nothing came in time. */
  readonly silent: (client: Duplex) => void;
}

/** Makes the listener for connections that are ready to be read. */
export function createConnectionListener({ silenceMs, connect, parse, silent }: ConnectionListenerOptions) {
  return (client: Socket): void => {
    const asked = new StreamSource(client);
    let settled = false;
    const settle = () => {
      settled = true;
      clearTimeout(timer);
      client.off('close', settle).off('end', onEnd);
    };
    const onEnd = () => client.destroy();
    const timer = setTimeout(() => {
      settle();
      silent(client);
    }, silenceMs);
    client.on('error', ignore).once('close', settle).once('end', onEnd);
    asked.peek((said) => {
      // It was told that it came too late.
      if (settled) return false;
      settle();
      const head = readConnectHead(said);
      if (head === null) {
        client.off('error', ignore);
        parse(client, asked.take());
      } else {
        asked.skip(head.length);
        connect(head.authority, head.credentials, client, asked);
      }
      return false;
    });
  };
}

/** Each is followed by 'close', which is listened to. */
const ignore = () => {};
