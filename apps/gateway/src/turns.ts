import type { Duplex } from 'node:stream';
import { Refusal } from '@propusk/dial/refusal';
import type { Passage } from './live.ts';

/**
 * The requests of one connection are carried one after another: that is how their answers go back, and else a thousand
 * that came at once (RFC 9112 section 9.3.2) would be a thousand connections to the site.
 */

/** Why a passage is aborted when nobody is left to be told why. */
export const clientLeft = new Error('The client has left');

/** Requests of one connection that may wait. Browsers send none before the answer; other clients some. */
const MOST = 64;

/** Requests that wait for their place, by their connection. */
const entering = new WeakMap<Duplex, Promise<unknown>>();

/** Waits for a passage, and for those that were asked for on the same connection before it. */
export function inOrder(client: Duplex, passage: Passage | Promise<Passage>): Passage | Promise<Passage> {
  const before = entering.get(client);
  if (before === undefined && !(passage instanceof Promise)) return passage;
  const mine = Promise.allSettled([before, passage]).then(() => passage);
  const told = mine.catch(() => {});
  entering.set(client, told);
  void told.then(() => {
    if (entering.get(client) === told) entering.delete(client);
  });
  return mine;
}

/** Carries a request when those before it on its connection are over. @throws Refusal when too many wait */
export type InTurn = (client: Duplex, passage: Passage, carry: () => Promise<void>) => Promise<void>;

/** Makes the one that knows the connections. */
export function createTurns(): InTurn {
  const lines = new WeakMap<Duplex, { readonly waiting: Set<Passage>; last: Promise<void> }>();

  function lineOf(client: Duplex) {
    const known = lines.get(client);
    if (known !== undefined) return known;
    const line = { waiting: new Set<Passage>(), last: Promise.resolve() };
    lines.set(client, line);
    client.once('close', () => {
      for (const passage of line.waiting) passage.abort(clientLeft);
    });
    return line;
  }

  return async (client, passage, carry) => {
    const line = lineOf(client);
    if (line.waiting.size >= MOST) throw new Refusal('too_many');
    line.waiting.add(passage);
    const mine = line.last.then(() => {
      passage.signal.throwIfAborted();
      return carry();
    });
    line.last = mine.catch(() => {});
    try {
      await mine;
    } finally {
      line.waiting.delete(passage);
    }
  };
}
