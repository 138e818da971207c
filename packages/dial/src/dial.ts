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
 * @param onread how the connection is read, when not as a stream
 * @throws DialError; the signal's reason when it was aborted
 */
export type Dial = (
  host: string,
  port: number,
  tenant: Tenant,
  signal: AbortSignalLike,
  towards?: 'site' | 'upstream',
  onread?: OnReadOpts,
) => Promise<Socket>;

const CONNECT_MS = 10_000;
/** Timeout of one address while others are left (RFC 8305 recommends 250 ms; a busy machine needs more). */
const ATTEMPT_MS = 2_000;

/** Creates the dial function. */
export function createDialer(options: DialerOptions): Dial {
  const { hosts, allowNetworks, egress = {}, self, dns = [] } = options;
  const { lookup = createLookup({ servers: dns }), connectMs = CONNECT_MS } = options;

  /** The addresses of a literal, or of a name in GATEWAY_HOSTS. */
  function addressesWithoutLookup(host: string): readonly string[] | undefined {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    return isIP(literal) === 0 ? hosts.get(host.toLowerCase()) : [literal];
  }

  function check(addresses: readonly string[], port: number): void {
    const own = self();
    // One refused address refuses the name: otherwise its DNS server could mix one in until it is chosen.
    for (const address of addresses) {
      if (!addressAllowed(address, allowNetworks)) throw new DialError('address_refused');
      if (own !== null && own.port === port && arrivesAt(address, own.address))
        throw new DialError('address_refused');
    }
  }

  return async (host, port, tenant, signal, towards = 'site', onread) => {
    const from = towards === 'site' ? egress : {};
    const addresses = addressesWithoutLookup(host) ?? (await lookup(host, tenant));
    signal.throwIfAborted();
    check(addresses, port);
    const deadline = performance.now() + connectMs;
    let failure: DialError | undefined;
    for (const [i, address] of addresses.entries()) {
      const left = deadline - performance.now();
      if (left <= 0) break;
      const attempt = await connectTo(
        address,
        port,
        isIP(address) === 4 ? from.v4 : from.v6,
        i < addresses.length - 1 ? Math.min(left, ATTEMPT_MS) : left,
        signal,
        onread,
      );
      if (!(attempt instanceof DialError)) return attempt;
      failure = attempt;
    }
    throw failure ?? new DialError(addresses.length === 0 ? 'resolve_failed' : 'timeout');
  };
}

/** Connects to one address. @returns the error, so that the caller tries the next address @throws the signal's reason */
async function connectTo(
  address: string,
  port: number,
  from: string | undefined,
  ms: number,
  signal: AbortSignalLike,
  onread: OnReadOpts | undefined,
): Promise<Socket | DialError> {
  signal.throwIfAborted();
  // Half-open: the end of one direction must not end the other (apps/gateway/src/splice.ts).
  const socket = connect({
    host: address,
    port,
    noDelay: true,
    allowHalfOpen: true,
    ...(from !== undefined && { localAddress: from }),
    ...(onread !== undefined && { onread }),
  });
  // Every 'error' is followed by 'close', which the socket's user handles.
  socket.on('error', () => {});
  const timer = setTimeout(() => socket.destroy(new DialError('timeout')), ms);
  const onAbort = () => socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  const failure = await new Promise<Error | null>((resolve) => {
    const onClose = () => resolve(socket.errored ?? new DialError('connect_failed'));
    socket.once('close', onClose);
    socket.once('connect', () => {
      socket.off('close', onClose);
      resolve(null);
    });
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  if (failure === null && !signal.aborted) return socket;
  socket.destroy();
  signal.throwIfAborted();
  return failure instanceof DialError ? failure : new DialError('connect_failed', errnoOf(failure));
}
