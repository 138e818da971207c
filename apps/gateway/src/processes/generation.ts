import { once } from 'node:events';

/**
 * The processes of a gateway use one listening socket in turn, which their keeper (keeper.ts) holds. An update
 * or a change of settings therefore closes no connection (docs/decisions/013-gateway-processes.md).
 *
 *   gateway ─> keeper   `bind`; `waiting` for a certificate; `listening`; `released`
 *   keeper ─> gateway   `socket` or `refused`; `drain`: release the files, accept no connection, exit after the last one;
 *                       `own`: the previous process has released the files; `ended`: an earlier process has ended
 *
 * A process that follows a live one accepts connections once its own feed is up to date. A process that replaces an ended one also
 * accepts them, with the snapshot file, when the api does not answer.
 */

/**
 * The environment variable with the process slots: that of this process first, then those of the processes alive at its start,
 * such as `1,0`.
 */
export const SLOTS = 'PROPUSK_SLOTS';
/** The environment variable that is `1` for a process that replaces an ended one. */
export const REPLACES = 'PROPUSK_REPLACES';
/**
 * The number of process slots. It exceeds the number of processes that can run at once, because the slot of an ended process is
 * not used again at once.
 */
export const SLOT_COUNT = 16;

/** Living processes of one gateway have different slots, from 0. */
export interface Slots {
  readonly own: number;
  /** The slots of the processes that were alive when this one started. */
  readonly others: readonly number[];
  /**
   * Whether this process replaces a process that has already ended. If so, it may use the snapshot file at once. It may use the
   * metrics port only after the message `own`.
   */
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

/** Reads the process slots from the environment. @returns slot 0 and no others if no keeper has set them */
export function slotsOf(env: NodeJS.ProcessEnv): Slots {
  const [own = 0, ...others] = (env[SLOTS] ?? '0').split(',').map(Number);
  return { own, others, replaces: env[REPLACES] === '1' };
}

/** Whether this process neither follows nor replaces another one. */
export const isFirst = ({ others, replaces = false }: Slots): boolean => !replaces && others.length === 0;

/** After this time, a process that replaces an ended one accepts connections even if the api has not answered. */
const FEED_MS = 10_000;

/**
 * Delays accepting until the feed is up to date. Otherwise a right that was revoked while no process served would be valid
 * again.
 * @returns callbacks for the feed, and a promise that resolves when the process may accept; call `lost` when the connection to
 * the api fails
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
