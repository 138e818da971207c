import { connect, isIP, type OnReadOpts, type Socket } from 'node:net';
import { addressAllowed, arrivesAt, type Networks } from './addresses.ts';
import { DialError } from './dial-error.ts';
import { createLookup } from './resolver.ts';
import type { EgressAddresses } from './settings.ts';

/**
 * The one way out: every connection that the gateway opens for a person goes through here.
 *
 *   name → resolved once → every address judged → connected to one of those addresses, never to the name again
 *
 * So a name that changes between the check and the connection (DNS rebinding) gains nothing. Hosts of upstream proxies
 * are typed in by tenants and come the same way.
 */

export interface DialerOptions {
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  readonly allowNetworks: Networks;
  /** Where connections leave from, so that a site's lock can know the address. */
  readonly egress?: EgressAddresses;
  /** Where the gateway itself listens: it never connects to itself, in an exempt network either. */
  readonly self: () => { readonly address: string; readonly port: number } | null;
  /** Resolvers that are asked in the system's place, as `address` or `address:port`. */
  readonly dns?: readonly string[];
  readonly resolveMs?: number;
  readonly connectMs?: number;
  /** The system's resolver, unless a test says otherwise. */
  readonly lookup?: (name: string) => Promise<readonly string[]>;
}

/** What this needs of an AbortSignal, so that callers may have something lighter. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Opens a connection to a host, a name or an address literal. Only towards a site does it leave from the egress address:
 * sites' locks admit that one, and an "upstream" that a tenant typed in may be another tenant's site.
 * @param onread how the connection is read, when not as a stream
 * @throws DialError; the signal's reason when it was aborted
 */
export type Dial = (
  host: string,
  port: number,
  signal: AbortSignalLike,
  towards?: 'site' | 'upstream',
  onread?: OnReadOpts,
) => Promise<Socket>;

const RESOLVE_MS = 5_000;
const CONNECT_MS = 10_000;
/** What one address may take while others are left to try (RFC 8305 asks for 250 ms; a busy machine needs more). */
const ATTEMPT_MS = 2_000;

/** Makes the function that dials. */
export function createDialer(options: DialerOptions): Dial {
  const { hosts, allowNetworks, egress = {}, self, dns = [] } = options;
  const { lookup = createLookup(dns) } = options;
  const { resolveMs = RESOLVE_MS, connectMs = CONNECT_MS } = options;

  async function resolve(host: string): Promise<readonly string[]> {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0) return [literal];
    const listed = hosts.get(host.toLowerCase());
    if (listed !== undefined) return listed;
    try {
      return await within(resolveMs, lookup(host));
    } catch (error) {
      throw error instanceof DialError ? error : new DialError('resolve_failed', errnoOf(error));
    }
  }

  function judge(addresses: readonly string[], port: number): void {
    const own = self();
    // One bad address spoils the name: else whoever answers for it in DNS could mix one in and retry till it is chosen.
    for (const address of addresses) {
      if (!addressAllowed(address, allowNetworks)) throw new DialError('address_refused');
      if (own !== null && own.port === port && arrivesAt(address, own.address))
        throw new DialError('address_refused');
    }
  }

  return async (host, port, signal, towards = 'site', onread) => {
    const from = towards === 'site' ? egress : {};
    const addresses = await resolve(host);
    signal.throwIfAborted();
    judge(addresses, port);
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

/** One attempt. A failure comes back as a value, for the next address may do better; an abort is thrown. */
async function connectTo(
  address: string,
  port: number,
  from: string | undefined,
  ms: number,
  signal: AbortSignalLike,
  onread: OnReadOpts | undefined,
): Promise<Socket | DialError> {
  signal.throwIfAborted();
  // Half-open: the end of one direction must not cut the other (see splice.ts).
  const socket = connect({
    host: address,
    port,
    noDelay: true,
    allowHalfOpen: true,
    ...(from !== undefined && { localAddress: from }),
    ...(onread !== undefined && { onread }),
  });
  // An 'error' is always followed by 'close', which whoever holds the socket listens to.
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

function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DialError('timeout')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
