import { once } from 'node:events';

/**
 * A gateway's processes follow each other on one listening socket, which their keeper (apps/supervisor/src/gateway.ts) holds: an
 * update or a change of settings cuts no connection (docs/decisions/013-gateway-processes.md).
 *
 *   gateway ─> keeper   `bind`; `waiting` for a certificate; `listening`; `released`
 *   keeper ─> gateway   `socket` or `refused`; `drain`: release the files, accept nothing, end with the last connection;
 *                       `own`: the files of the one before are free; `ended`: a process before has ended
 *
 * A process that follows another accepts once its own feed is up to date.
 */

/** The environment variable with the slots, the own one first: `1,0`. */
export const SLOTS = 'PROPUSK_SLOTS';
/** The number of slots. More than processes can live: an ended one's slot is free for others much later. */
export const SLOT_COUNT = 16;

/** Living processes of one gateway have different slots, from 0. */
export interface Slots {
  readonly own: number;
  /** Of the processes that were alive when this one started. */
  readonly others: readonly number[];
}

export type ToGateway =
  | { readonly type: 'socket' }
  | { readonly type: 'refused'; readonly code: string }
  | { readonly type: 'drain' }
  | { readonly type: 'own' }
  | { readonly type: 'ended'; readonly slot: number };

export type FromGateway =
  | { readonly type: 'bind'; readonly host: string; readonly port: number }
  | { readonly type: 'waiting' }
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'released' };

/** A bound socket, which listens with `server.listen()`. */
export interface BoundSocket {
  readonly fd: number;
}

/** @returns slot 0 alone without a keeper */
export function slotsOf(env: NodeJS.ProcessEnv): Slots {
  const [own = 0, ...others] = (env[SLOTS] ?? '0').split(',').map(Number);
  return { own, others };
}

/** Questions wait for each other: an answer does not name its question. */
let answered: Promise<unknown> = Promise.resolve();

/**
 * Asks the keeper for the socket of an address: every call returns another descriptor of it.
 * @returns undefined without a keeper
 * @throws Error with the `code` of bind(2) or of the name's resolution
 */
export function socketOf(host: string, port: number): Promise<BoundSocket | undefined> {
  const socket = answered.then(() => ask(host, port));
  answered = socket.catch(() => {});
  return socket;
}

async function ask(host: string, port: number): Promise<BoundSocket | undefined> {
  if (process.env[SLOTS] === undefined) return undefined;
  process.send?.({ type: 'bind', host, port } satisfies FromGateway);
  for (;;) {
    const [message, socket] = (await once(process, 'message')) as [ToGateway, BoundSocket?];
    if (message.type === 'socket') return socket;
    if (message.type === 'refused') throw Object.assign(new Error('No socket'), { code: message.code });
  }
}
