import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLoopback } from '@propusk/contract/settings';
import { addressAllowed, plainAddress } from '@propusk/dial/addresses';
import { ConnectError } from './connect-error.ts';
import { callEcho, type Echo, placeOf } from './echo-client.ts';

/** A version of the Internet Protocol. */
export type Family = 4 | 6;

/**
 * Whether this machine has internet access without a proxy. Without internet access, a missing response says
 * nothing about the site.
 */
export interface SelfEgress {
  /** This machine's egress addresses, as the echo endpoint reports them. */
  readonly own: readonly string[];
  /** Address families by which a request to the echo endpoint succeeded over the internet. */
  readonly confirmed: readonly Family[];
  /** Address families over which every request to the echo endpoint failed. */
  readonly failed: readonly Family[];
  /** Addresses of the echo endpoint, which often runs on this machine. */
  readonly echoAddresses: readonly string[];
}

const CALL_MS = 10_000;
/** At most this many addresses of the echo endpoint are tried per address family. */
const MAX_TRIES = 2;

/** Sends a direct request to the echo endpoint by each of the endpoint's address families. */
export async function checkSelfEgress(echo: Echo): Promise<SelfEgress> {
  const { transport, echoUrl } = echo;
  const { host } = placeOf(echoUrl);
  const addresses = await transport.resolve(host);
  const calls = await Promise.all(
    ([4, 6] as const).map(async (family) => {
      const literals = addresses.filter((address) => isIP(address) === family).slice(0, MAX_TRIES);
      return { family, ...(await call(echo, literals)) };
    }),
  );
  const familiesWith = (outcome: Call['outcome']) =>
    calls.filter((one) => one.outcome === outcome).map(({ family }) => family);
  return {
    // An echo endpoint on loopback sees a loopback address, not the address that a site would see.
    own: isLoopback(host) ? await transport.localEgress() : calls.flatMap(({ own }) => own ?? []),
    confirmed: familiesWith('confirmed'),
    failed: familiesWith('failed'),
    echoAddresses: addresses.map(plainAddress),
  };
}

interface Call {
  readonly own: string | null;
  /** `unproven`: the echo endpoint answered, but possibly the request did not leave this machine. */
  readonly outcome: 'confirmed' | 'failed' | 'unproven';
}

async function call(echo: Echo, literals: readonly string[]): Promise<Call> {
  const { transport, echoUrl, stop } = echo;
  const { port } = placeOf(echoUrl);
  const signal = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS)]);
  let outcome: Call['outcome'] = 'unproven';
  for (const host of literals) {
    try {
      const connection = await transport.open({ kind: 'outside', toEcho: true }, { host, port }, signal);
      const own = await callEcho(echo, connection, signal);
      return { own, outcome: isPublic(own) && provesEgress(own, host) ? 'confirmed' : 'unproven' };
    } catch (error) {
      stop.throwIfAborted();
      const tried = signal.aborted || (error instanceof ConnectError && error.reason !== 'address_refused');
      if (tried) outcome = 'failed';
    }
  }
  return { own: null, outcome };
}

/** The local and remote addresses of an established connection. */
export interface ConnectionEnds {
  readonly from: string;
  readonly to: string;
}

/** Reads both addresses of a connection; null if the connection is closed or is not a socket. */
export function endsOf(connection: Duplex): ConnectionEnds | null {
  if (!(connection instanceof Socket)) return null;
  const { localAddress: from, remoteAddress: to } = connection;
  return from === undefined || to === undefined ? null : { from, to };
}

/**
 * Returns the address families over which connections to proxies prove this machine's internet access. Ignores a
 * proxy at an address of the echo endpoint, because that proxy may run on this machine.
 */
export function confirmedBy(
  connections: readonly ConnectionEnds[],
  { echoAddresses }: Pick<SelfEgress, 'echoAddresses'>,
): Family[] {
  return connections
    .filter(({ from, to }) => provesEgress(from, to) && !echoAddresses.includes(plainAddress(to)))
    .map(({ to }) => familyOf(to));
}

/**
 * Whether a connection proves internet access. A connection with the same address at both ends proves nothing: it stayed on this
 * machine, or a router returned it (NAT hairpinning).
 */
function provesEgress(from: string, to: string): boolean {
  const [mine, theirs] = [plainAddress(from), plainAddress(to)];
  return mine !== theirs && isIP(mine) === isIP(theirs) && isPublic(theirs);
}

/** The family of an address literal. */
export function familyOf(address: string): Family {
  return isIP(plainAddress(address)) === 6 ? 6 : 4;
}

/** A public source address proves internet access over its address family; an internal address proves nothing. */
export const familiesProvenBy = (address: string): Family[] => (isPublic(address) ? [familyOf(address)] : []);

/** Ignores the operator's allowed networks, because access to an internal network is no internet access. */
const isPublic = (address: string) => addressAllowed(address, { v4: [], v6: [] });
