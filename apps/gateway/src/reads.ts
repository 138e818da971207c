import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import { Refusal } from '@propusk/dial/refusal';
import type { Client, Dispatcher } from 'undici';
import type { Passage } from './live.ts';
import {
  type Asking,
  answer,
  dialOnward,
  HEAD_MOST,
  IDLE_MS,
  nameOnward,
  refusalOf,
  unreadable,
} from './onward.ts';
import { clientLeft } from './turns.ts';

/**
 * Requests that only read: GET and HEAD without a body, nearly all that browsers send. They go onward by undici, whose
 * parser is Node's own and strict too, and who takes a third of the time that node:http's client does (decision 016).
 * What it cannot do, wait with a body until it is wanted, such requests do not need.
 */

/** Connections onward that are kept for one client connection. */
const KEPT_MOST = 4;
const KEPT_MS = 60_000;
/** Answers before the answer (RFC 9110 section 15.2). */
const EARLY_MOST = 16;

/** A connection onward: open, or opened anew when it is needed. */
interface Onward {
  readonly client: Client;
  socket: Socket | null;
  /** Nothing was asked on it yet. */
  fresh: boolean;
  /** For whom it would be opened. */
  passage: Passage;
}

/** Carries a request to its end. @throws Refusal when nothing of a response has been sent yet */
export type CarryRead = (
  passage: Passage,
  asking: Asking,
  client: Duplex,
  res: ServerResponse,
) => Promise<void>;

/** @param via this gateway's name in Via */
export function createReads(dial: Dial, via: string): CarryRead {
  const kept = new WeakMap<Duplex, Map<string, Onward>>();
  /** Not part of a start: it takes as long as ten of ours. */
  let undici: Promise<typeof import('undici')> | undefined;

  function keptOf(client: Duplex): Map<string, Onward> {
    const known = kept.get(client);
    if (known !== undefined) return known;
    const mine = new Map<string, Onward>();
    kept.set(client, mine);
    client.once('close', () => mine.forEach(drop));
    return mine;
  }

  async function onwardOf(client: Duplex, passage: Passage): Promise<Onward> {
    const mine = keptOf(client);
    const name = nameOnward(passage);
    const known = mine.get(name);
    if (known !== undefined) {
      known.passage = passage;
      return known;
    }
    undici ??= import('undici');
    const made = open((await undici).Client, dial, passage);
    // It may have left meanwhile, and its 'close' is over.
    if (client.destroyed) drop(made);
    for (const [oldest, onward] of mine) {
      if (mine.size < KEPT_MOST) break;
      mine.delete(oldest);
      drop(onward);
    }
    mine.set(name, made);
    return made;
  }

  return async (passage, asking, client, res) => {
    const onward = await onwardOf(client, passage);
    await new Promise<void>((resolve, reject) => {
      const end = (refusal?: Error) => (refusal === undefined ? resolve() : reject(refusal));
      new Reading(onward, passage, asking, res, via, end).ask();
    });
  };
}

function open(Made: typeof Client, dial: Dial, first: Passage): Onward {
  // The name is never looked up, nor sent: every request brings its own Host.
  const client = new Made('http://onward.invalid', {
    connect: (_options, done) => {
      dialOnward(dial, onward.passage).then(
        (socket) => {
          onward.socket = socket;
          onward.fresh = true;
          done(null, socket);
        },
        (error: Error) => done(error, null),
      );
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: HEAD_MOST,
    headersTimeout: IDLE_MS,
    bodyTimeout: IDLE_MS,
    keepAliveTimeout: KEPT_MS,
  });
  const onward: Onward = { client, socket: null, fresh: true, passage: first };
  return onward;
}

const drop = ({ client }: Onward): void => client.destroy(null, () => {});

/** One request, its answer, and how they end: by the answer's end, a fault, an abort, or because the client has left. */
class Reading implements Dispatcher.DispatchHandler {
  readonly #onward: Onward;
  readonly #passage: Passage;
  readonly #asking: Asking;
  readonly #res: ServerResponse;
  readonly #via: string;
  readonly #end: (refusal?: Error) => void;
  #controller: Dispatcher.DispatchController | null = null;
  /** What it stands at: nothing has come, the client's answer has begun, the whole of it has come, it is over. */
  #at: 'asked' | 'begun' | 'whole' | 'over' = 'asked';
  #early = 0;
  #reused = false;
  #repeated = false;
  #stalled: NodeJS.Timeout | undefined;

  constructor(
    onward: Onward,
    passage: Passage,
    asking: Asking,
    res: ServerResponse,
    via: string,
    end: (refusal?: Error) => void,
  ) {
    this.#onward = onward;
    this.#passage = passage;
    this.#asking = asking;
    this.#res = res;
    this.#via = via;
    this.#end = end;
  }

  ask(): void {
    const { signal } = this.#passage;
    if (signal.reason !== undefined) return this.#settle(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
    this.#dispatch();
  }

  #dispatch(): void {
    this.#onward.client.dispatch(this.#asking, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#reused = !this.#onward.fresh;
    this.#onward.fresh = false;
    if (this.#at === 'over') controller.abort(clientLeft);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    phrase = '',
  ): void {
    if (status >= 100 && status < 200 && ++this.#early <= EARLY_MOST) return;
    const rawHeaders = (controller.rawHeaders as Buffer[]).map((each) => each.toString('latin1'));
    const reply = { status, phrase: asWritten(phrase), rawHeaders };
    const refusal =
      status < 200 ? unreadable(this.#passage) : answer(reply, this.#res, this.#passage, this.#via);
    if (refusal !== null) return controller.abort(refusal);
    this.#at = 'begun';
    // Each is followed by 'close'.
    this.#res.on('error', () => {}).once('close', this.#onClosed);
    if (this.#res.closed) controller.abort(clientLeft);
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#res.write(bytes) || controller.paused) return;
    controller.pause();
    this.#stalled = setTimeout(() => this.#res.destroy(), IDLE_MS);
    this.#res.once('drain', () => {
      clearTimeout(this.#stalled);
      controller.resume();
    });
  }

  onResponseEnd(): void {
    this.#at = 'whole';
    // A connection that was reset is no end of a body that ends with its connection.
    if (this.#onward.socket?.errored) this.#res.destroy();
    else this.#res.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    // That it broke off can only be told by a cut.
    if (this.#at === 'begun') return void this.#res.destroy();
    if (this.#at !== 'asked') return;
    // A kept connection may be closed by the other side just as it is used again (RFC 9112 section 9.3.1).
    if (this.#reused && !this.#repeated && this.#early === 0 && isBreak(error)) {
      this.#repeated = true;
      this.#controller = null;
      return this.#dispatch();
    }
    this.#settle(this.#refusalOf(error));
  }

  readonly #onAbort = (): void => {
    if (this.#at === 'asked') this.#settle(this.#passage.signal.reason);
    else this.#res.destroy();
    this.#controller?.abort(this.#passage.signal.reason ?? clientLeft);
  };

  readonly #onClosed = (): void => {
    const whole = this.#at === 'whole';
    this.#settle();
    if (!whole) this.#controller?.abort(clientLeft);
  };

  #settle(refusal?: Error): void {
    if (this.#at === 'over') return;
    this.#at = 'over';
    clearTimeout(this.#stalled);
    this.#passage.signal.removeEventListener('abort', this.#onAbort);
    this.#end(refusal);
  }

  #refusalOf(error: Error): Error {
    if (error.name === 'HeadersTimeoutError') return refusalOf(new Refusal('timeout'), this.#passage);
    return refusalOf(breaksRules(error) ? unreadable(this.#passage) : error, this.#passage);
  }
}

/** The connection broke, and nothing else went wrong. */
function isBreak(error: Error): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^(?:UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code) && !breaksRules(error);
}

/** undici's words for what is not HTTP, and for an answer in a place where none may be: unasked for, or a 100 or 101. */
function breaksRules({ name, message }: Error): boolean {
  return rules.has(name) || /^bad (?:response|upgrade)$/.test(message);
}

const rules = new Set(['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError']);

/** A phrase that undici has read as UTF-8, in bytes again: what a site says goes back as it was. */
function asWritten(phrase: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, to pass over what needs no thought
  return /^[\0-\x7f]*$/.test(phrase) ? phrase : Buffer.from(phrase).toString('latin1');
}
