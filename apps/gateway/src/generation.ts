import { once } from 'node:events';

/**
 * A gateway's processes follow each other on one listening socket, which their keeper (apps/supervisor/src/gateway.ts) holds: an
 * update or a change of settings cuts no connection (docs/decisions/013-gateway-processes.md).
 *
 *   gateway ─> keeper   `bind`; `waiting` for a certificate; `listening`; `released`
 *   keeper ─> gateway   `socket` or `refused`; `drain`: release the files, accept nothing, end with the last connection;
 *                       `own`: the files of the one before are free; `ended`: a process before has ended
 *
 * A process that follows another accepts once its own feed is up to date. One that replaces a killed process also accepts, with the
 * snapshot file, when the api is away.
 */

/** The environment variable with the slots, the own one first: `1,0`. */
export const SLOTS = 'PROPUSK_SLOTS';
/** The environment variable of a process that replaces a killed one. */
export const REPLACES = 'PROPUSK_REPLACES';
/** The number of slots. More than processes can live: an ended one's slot is free for others much later. */
export const SLOT_COUNT = 16;

/** Living processes of one gateway have different slots, from 0. */
export interface Slots {
  readonly own: number;
  /** Of the processes that were alive when this one started. */
  readonly others: readonly number[];
  /** Whether the process before it was killed: the snapshot file is free, and the metrics port follows with `own`. */
  readonly replaces?: boolean;
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
  return { own, others, replaces: env[REPLACES] === '1' };
}

/** Whether no process went before. */
export const isFirst = ({ others, replaces = false }: Slots): boolean => !replaces && others.length === 0;

/** The longest wait of a process that replaces a killed one, for an api that takes its request and does not answer. */
const FEED_MS = 10_000;

/**
 * Has a process accept only once its feed is up to date: a right that was revoked while none served must not return.
 * @returns callbacks of the feed, and when the process may accept; `lost` is for a failed connection to the api
 */
export function waitForFeed(slots: Slots): { upToDate(): void; lost(): void; mayAccept: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (isFirst(slots)) resolve();
  else if (slots.replaces) setTimeout(resolve, FEED_MS).unref();
  return { upToDate: resolve, lost: slots.replaces ? resolve : () => {}, mayAccept: promise };
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
