import { isIP, type OnReadOpts, type Socket } from 'node:net';
import { addressAllowed } from './addresses.ts';
import { Attempt } from './attempt.ts';
import { DialError, errnoOf } from './dial-error.ts';
import type { Tenant } from './fair-slots.ts';
import { type FamilyChoice, FamilyOrder } from './family-order.ts';
import { OwnMachine, type OwnMachineOptions } from './own-machine.ts';
import { createLookup, type Lookup } from './resolver.ts';
import type { EgressAddresses } from './settings.ts';
import { SourceAddresses } from './source-addresses.ts';

/**
 * Opens every outgoing connection of the gateway and of the api's probe.
 *
 *   name → resolved once → every address checked → connected to one of those addresses, without resolving again
 *
 * A name whose addresses change between check and connection (DNS rebinding) gains nothing. Tenants also type in the hosts of
 * upstream proxies: the same checks apply. Only then the families are chosen: those that the sites' locks admit.
 */

export interface DialerOptions extends OwnMachineOptions {
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  /** Local addresses of connections to sites, which the sites' locks admit. */
  readonly egress?: EgressAddresses;
  /** Whether every port of this machine may be dialled. True only for hosts from the settings, which no tenant chose. */
  readonly trusted?: boolean;
  /** DNS servers instead of the system's, as `address` or `address:port`. */
  readonly dns?: readonly string[];
  readonly connectMs?: number;
  /** Replaces the resolver: several dialers may share one. */
  readonly lookup?: Lookup;
  /** A monotonic clock in milliseconds for the order of the families, for tests. */
  readonly now?: () => number;
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
 * @param family the only family of the gateway's addresses that its echo saw; the families of GATEWAY_EGRESS precede it
 * @throws DialError; the signal's reason when it was aborted
 */
export type Dial = (
  host: string,
  port: number,
  tenant: Tenant,
  signal: AbortSignalLike,
  towards?: Towards,
  family?: FamilyChoice,
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
  family: FamilyChoice,
  onread: OnReadOpts | undefined,
  done: (outcome: Socket | DialError) => void,
) => Dialing;

const CONNECT_MS = 10_000;

/** The addresses of a literal, or of a name in GATEWAY_HOSTS; undefined for a name that must be resolved. */
export function addressesWithoutLookup(
  host: string,
  hosts: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const literal = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(literal) === 0 ? hosts.get(host.toLowerCase()) : [literal];
}

/** Creates the dial function. */
export function createDialer(options: DialerOptions): StartDial {
  const { hosts, allowNetworks, egress = {}, dns = [] } = options;
  const { lookup = createLookup({ servers: dns }), connectMs = CONNECT_MS } = options;
  const order = new FamilyOrder(options.now ?? (() => performance.now()));
  const bound = boundFamily(egress);
  const [sources, anySource] = [new SourceAddresses(egress), new SourceAddresses({})];
  const own = options.trusted ? undefined : new OwnMachine(options);
  /** Lists of addresses that passed the check: a resolver keeps a list for as long as its answer counts. */
  const allowed = new WeakSet<readonly string[]>();

  /** One refused address refuses the name: otherwise its DNS server could mix one in until it is chosen. */
  function check(host: string, addresses: readonly string[], port: number): void {
    if (!allowed.has(addresses)) {
      if (!addresses.every((address) => addressAllowed(address, allowNetworks)))
        throw new DialError('address_refused');
      allowed.add(addresses);
    }
    if (own?.refuses(host, addresses, port)) throw new DialError('address_refused');
  }

  return (host, port, tenant, towards, family, onread, done) => {
    const site = towards === 'site';
    const only = site ? (bound ?? family) : 0;
    const from = site ? sources : anySource;
    const attempt = new Attempt(port, tenant, from, only, order, onread, done, connectMs);
    const fail = (error: unknown) =>
      attempt.end(error instanceof DialError ? error : new DialError('connect_failed', errnoOf(error)));
    const begin = (addresses: readonly string[]) => {
      try {
        check(host, addresses, port);
      } catch (error) {
        return fail(error);
      }
      attempt.begin(addresses);
    };
    try {
      const found = addressesWithoutLookup(host, hosts) ?? lookup(host, tenant);
      if (found instanceof Promise) found.then(begin, fail);
      else begin(found);
    } catch (error) {
      fail(error);
    }
    return attempt;
  };
}

/** The only family of GATEWAY_EGRESS, 0 when it has both; undefined when it is not set. */
function boundFamily({ v4, v6 }: EgressAddresses): FamilyChoice | undefined {
  if (v4 === undefined) return v6 === undefined ? undefined : 6;
  return v6 === undefined ? 4 : 0;
}

/** The dial as a promise, for callers that wait. */
export function dialByPromise(start: StartDial): Dial {
  return (host, port, tenant, signal, towards = 'site', family = 0) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      let dialing: Dialing | undefined;
      const onAbort = () => {
        dialing?.cancel();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      dialing = start(host, port, tenant, towards, family, undefined, (outcome) => {
        signal.removeEventListener('abort', onAbort);
        if (outcome instanceof DialError) reject(outcome);
        else resolve(outcome);
      });
    });
}
