import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
import { addressAllowed, arrivesAt, type Networks } from './addresses.ts';
import { DialError, errnoOf } from './dial-error.ts';
import type { Tenant } from './fair-slots.ts';
import { createLookup, type Lookup } from './resolver.ts';
import type { EgressAddresses } from './settings.ts';

/**
 * Opens every outgoing connection of the gateway and of the api's probe.
 *
 *   name → resolved once → every address checked → connected to one of those addresses, without resolving again
 *
 * A name whose addresses change between check and connection (DNS rebinding) gains nothing. Tenants also type in the hosts of
 * upstream proxies: the same checks apply.
 */

export interface DialerOptions {
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  readonly allowNetworks: Networks;
  /** Local addresses of connections to sites, which the sites' locks admit. */
  readonly egress?: EgressAddresses;
  /** The gateway's own listener. It never connects to itself, even in an allowed network. */
  readonly self: () => { readonly address: string; readonly port: number } | null;
  /** DNS servers instead of the system's, as `address` or `address:port`. */
  readonly dns?: readonly string[];
  readonly connectMs?: number;
  /** Replaces the resolver: several dialers may share one. */
  readonly lookup?: Lookup;
}

/** The part of AbortSignal that the dialer needs: a caller may pass a lighter object. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Opens a connection to a host: a name or an address literal. Only connections to sites use the egress address, which sites'
 * locks admit: an "upstream" that a tenant typed in may be another tenant's site.
 * @param tenant whose share of pending names the host takes
 * @throws DialError; the signal's reason when it was aborted
 */
export type Dial = (
  host: string,
  port: number,
  tenant: Tenant,
  signal: AbortSignalLike,
  towards?: Towards,
) => Promise<Socket>;

export type Towards = 'site' | 'upstream';

/** A dial that has begun. */
export interface Dialing {
  /** Ends it: the outcome is not reported. */
  cancel(): void;
}

/**
 * The same dial without a promise.
 * @param onread how the connection is read; undefined for a stream
 * @param done gets the connected socket or the error, perhaps before this returns
 */
export type StartDial = (
  host: string,
  port: number,
  tenant: Tenant,
  towards: Towards,
  onread: OnReadOpts | undefined,
  done: (outcome: Socket | DialError) => void,
) => Dialing;

const CONNECT_MS = 10_000;
/** Timeout of one address while others are left (RFC 8305 recommends 250 ms; a busy machine needs more). */
const ATTEMPT_MS = 2_000;

/** Creates the dial function. */
export function createDialer(options: DialerOptions): StartDial {
  const { hosts, allowNetworks, egress = {}, self, dns = [] } = options;
  const { lookup = createLookup({ servers: dns }), connectMs = CONNECT_MS } = options;
  /** Lists of addresses that passed the check: a resolver keeps a list for as long as its answer counts. */
  const allowed = new WeakSet<readonly string[]>();

  /** The addresses of a literal, or of a name in GATEWAY_HOSTS. */
  function addressesWithoutLookup(host: string): readonly string[] | undefined {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    return isIP(literal) === 0 ? hosts.get(host.toLowerCase()) : [literal];
  }

  /** One refused address refuses the name: otherwise its DNS server could mix one in until it is chosen. */
  function check(addresses: readonly string[], port: number): void {
    if (!allowed.has(addresses)) {
      if (!addresses.every((address) => addressAllowed(address, allowNetworks)))
        throw new DialError('address_refused');
      allowed.add(addresses);
    }
    const own = self();
    if (own?.port === port && addresses.some((address) => arrivesAt(address, own.address)))
      throw new DialError('address_refused');
  }

  return (host, port, tenant, towards, onread, done) => {
    const attempt = new Attempt(port, towards === 'site' ? egress : {}, onread, done, connectMs);
    const fail = (error: unknown) =>
      attempt.end(error instanceof DialError ? error : new DialError('connect_failed', errnoOf(error)));
    const begin = (addresses: readonly string[]) => {
      try {
        check(addresses, port);
      } catch (error) {
        return fail(error);
      }
      attempt.begin(addresses);
    };
    try {
      const found = addressesWithoutLookup(host) ?? lookup(host, tenant);
      if (found instanceof Promise) found.then(begin, fail);
      else begin(found);
    } catch (error) {
      fail(error);
    }
    return attempt;
  };
}

/** The dial as a promise, for callers that wait. */
export function dialByPromise(start: StartDial): Dial {
  return (host, port, tenant, signal, towards = 'site') =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      let dialing: Dialing | undefined;
      const onAbort = () => {
        dialing?.cancel();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      dialing = start(host, port, tenant, towards, undefined, (outcome) => {
        signal.removeEventListener('abort', onAbort);
        if (outcome instanceof DialError) reject(outcome);
        else resolve(outcome);
      });
    });
}

/** Finds the attempt of a socket: its handlers are the same functions for all sockets. */
const attemptOf = Symbol('attempt');
type Attempted = Socket & { [attemptOf]?: Attempt };

/** Connects to the addresses of a name in turn, until one accepts. */
class Attempt implements Dialing {
  readonly #port: number;
  readonly #from: EgressAddresses;
  readonly #onread: OnReadOpts | undefined;
  readonly #deadline: number;
  /** Null once the outcome is reported, or not wanted any more. */
  #done: ((outcome: Socket | DialError) => void) | null;
  // grows: by addresses of one name; bound: 32, those of a resolver's answer; at the bound: does not grow
  #addresses: readonly string[] = [];
  #next = 0;
  #socket: Attempted | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    port: number,
    from: EgressAddresses,
    onread: OnReadOpts | undefined,
    done: (outcome: Socket | DialError) => void,
    connectMs: number,
  ) {
    this.#port = port;
    this.#from = from;
    this.#onread = onread;
    this.#done = done;
    this.#deadline = performance.now() + connectMs;
  }

  begin(addresses: readonly string[]): void {
    if (this.#done === null) return;
    this.#addresses = addresses;
    if (addresses.length === 0) this.end(new DialError('resolve_failed'));
    else this.#connect(null);
  }

  /** Connects to the next address. @param failure of the address before, the outcome when there is none, or no time */
  #connect(failure: DialError | null): void {
    const left = this.#deadline - performance.now();
    const address = this.#addresses[this.#next];
    // An Error collects its stack, which would take a twentieth of a tunnel.
    if (address === undefined || left <= 0) return this.end(failure ?? new DialError('timeout'));
    this.#next += 1;
    const last = this.#next === this.#addresses.length;
    const from = isIP(address) === 4 ? this.#from.v4 : this.#from.v6;
    // Half-open: the end of one direction must not end the other (apps/gateway/src/tunnel.ts).
    const socket: Attempted = connect({
      host: address,
      port: this.#port,
      noDelay: true,
      allowHalfOpen: true,
      ...(from !== undefined && { localAddress: from }),
      ...(this.#onread !== undefined && { onread: this.#onread }),
    });
    socket[attemptOf] = this;
    this.#socket = socket;
    // Every 'error' is followed by 'close', which the socket's user handles.
    socket.on('error', ignore).once('connect', onConnect).once('close', onClose);
    this.#timer = setTimeout(onTimeout, last ? left : Math.min(left, ATTEMPT_MS), socket);
  }

  connected(socket: Attempted): void {
    clearTimeout(this.#timer);
    socket.off('close', onClose);
    socket[attemptOf] = undefined;
    this.end(socket);
  }

  closed({ errored }: Socket): void {
    clearTimeout(this.#timer);
    if (this.#done === null) return;
    this.#connect(errored instanceof DialError ? errored : new DialError('connect_failed', errnoOf(errored)));
  }

  /** Reports the outcome. */
  end(outcome: Socket | DialError): void {
    const done = this.#done;
    this.#done = null;
    done?.(outcome);
  }

  cancel(): void {
    this.#done = null;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
  }
}

function onConnect(this: Attempted): void {
  this[attemptOf]?.connected(this);
}

function onClose(this: Attempted): void {
  this[attemptOf]?.closed(this);
}

function onTimeout(socket: Socket): void {
  socket.destroy(new DialError('timeout'));
}

function ignore(): void {}
