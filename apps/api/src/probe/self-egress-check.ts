import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { addressAllowed } from '@propusk/dial/addresses';
import { plainAddress } from '@propusk/overload/networks';
import { ConnectError } from './connect-error.ts';
import { askEcho, placeOf } from './echo-client.ts';
import type { Transport } from './transport.ts';

/** A version of the Internet Protocol. */
export type Family = 4 | 6;

/** Whether this machine itself gets out, without any proxy: what a stranger's silence is worth. */
export interface SelfEgress {
  /** Where our calls come from. */
  readonly own: readonly string[];
  /** Families by which something of ours was seen to get out and back. */
  readonly shown: readonly Family[];
  /** Families by which a call was tried in vain. */
  readonly failed: readonly Family[];
  /** Where the echo stands: often this very machine. */
  readonly home: readonly string[];
}

const CALL_MS = 10_000;
/** Addresses of one family that are tried. */
const TRIES = 2;

/** Calls our echo without a proxy, by each family that it has an address of. */
export async function checkSelfEgress(
  transport: Transport,
  echo: URL,
  stop: AbortSignal,
): Promise<SelfEgress> {
  const { host } = placeOf(echo);
  const addresses = await transport.resolve(host);
  const calls = await Promise.all(
    ([4, 6] as const).map(async (family) => {
      const literals = addresses.filter((address) => isIP(address) === family).slice(0, TRIES);
      return { family, ...(await call(transport, echo, literals, stop)) };
    }),
  );
  const familiesOf = (outcome: Call['outcome']) =>
    calls.filter((one) => one.outcome === outcome).map(({ family }) => family);
  return {
    own: calls.flatMap(({ own }) => own ?? []),
    shown: familiesOf('shown'),
    failed: familiesOf('failed'),
    home: addresses.map(plainAddress),
  };
}

interface Call {
  readonly own: string | null;
  /** `vague`: something answered, but the call may never have left this machine. */
  readonly outcome: 'shown' | 'failed' | 'vague';
}

async function call(
  transport: Transport,
  echo: URL,
  literals: readonly string[],
  stop: AbortSignal,
): Promise<Call> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS)]);
  let outcome: Call['outcome'] = 'vague';
  for (const host of literals) {
    try {
      const tunnel = await transport.open({ kind: 'outside' }, { host, port: placeOf(echo).port }, signal);
      const own = await askEcho(transport, tunnel, echo, signal);
      return { own, outcome: isPublic(own) && leaves(own, host) ? 'shown' : 'vague' };
    } catch (error) {
      stop.throwIfAborted();
      const tried = signal.aborted || (error instanceof ConnectError && error.reason !== 'address_refused');
      if (tried) outcome = 'failed';
    }
  }
  return { own: null, outcome };
}

/** The two ends of a connection that came up. */
export interface ConnectionEnds {
  readonly from: string;
  readonly to: string;
}

/** The ends of a connection to a company's proxy; null when it has none. */
export function endsOf(connection: Duplex): ConnectionEnds | null {
  if (!(connection instanceof Socket)) return null;
  const { localAddress: from, remoteAddress: to } = connection;
  return from === undefined || to === undefined ? null : { from, to };
}

/** Families by which connections got out of this machine, to proxies that do not stand where the console does. */
export function confirmedBy(
  connections: readonly ConnectionEnds[],
  { home }: Pick<SelfEgress, 'home'>,
): Family[] {
  return connections
    .filter(({ from, to }) => leaves(from, to) && !home.includes(plainAddress(to)))
    .map(({ to }) => familyOf(to));
}

/**
 * Whether a connection that came up shows a way out to the internet. One that comes from the very address that it went to
 * did not leave this machine, or turned round at its router: the console and its echo often stand on one host.
 */
function leaves(from: string, to: string): boolean {
  const [mine, theirs] = [plainAddress(from), plainAddress(to)];
  return mine !== theirs && isIP(mine) === isIP(theirs) && isPublic(theirs);
}

/** The family of an address literal. */
export function familyOf(address: string): Family {
  return isIP(plainAddress(address)) === 6 ? 6 : 4;
}

/** Whoever exempts a network of their own says nothing of the internet by reaching it. */
const isPublic = (address: string) => addressAllowed(address, { v4: [], v6: [] });
