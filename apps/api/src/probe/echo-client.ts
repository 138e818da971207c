import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { canonicalHost } from '@propusk/access/host';
import { isLoopback } from '@propusk/contract/settings';
import { plainAddress } from '@propusk/dial/addresses';
import type { CheckMessage } from '@propusk/phrases/checks';
import * as z from 'zod/mini';
import { ConnectError } from './connect-error.ts';
import { getOver } from './http-get.ts';
import { type Outbound, type Place, type ProxyRoute, portOf } from './transport.ts';

/** The dependencies of echo calls. The signal `stop` aborts the calls. */
export type Echo = Pick<Outbound, 'transport' | 'echoUrl' | 'stop'>;

/** The result of an echo call through a proxy. */
export interface EgressResult {
  /** Whether a connection to the proxy was established. */
  readonly reachable: boolean;
  /** Whether the proxy accepted the credentials; null if the call ended before the proxy checked the credentials. */
  readonly credentialsAccepted: boolean | null;
  /** The proxy's egress addresses. After a failed call, the list contains only local addresses, if any. */
  readonly addresses: readonly string[];
  /** Address families over which the echo did not answer. Stored egress addresses of these families stay valid. */
  readonly unanswered: readonly (4 | 6)[];
  readonly roundTripMs: number | null;
  /** Why the call failed; null after success. */
  readonly problem: CheckMessage | null;
}

const CALL_MS = 10_000;
const BODY_LIMIT = 4096;
const Body = z.strictObject({ address: z.string().check(z.refine((text) => isIP(text) !== 0)) });

function failedCall(
  problem: CheckMessage,
  found: Pick<EgressResult, 'reachable' | 'credentialsAccepted'>,
): EgressResult {
  return { ...found, addresses: localAddresses(problem), unanswered: [], roundTripMs: null, problem };
}

/**
 * Calls the echo endpoint through a proxy and returns the proxy's egress addresses. Over plain http, the
 * proxy can forge the response; over https it cannot.
 * @param route null if the proxy's stored password cannot be decrypted
 * @param onConnected receives the connection to the proxy
 * @throws the abort reason of the signal `stop`
 */
export async function learnEgress(
  echo: Echo,
  route: ProxyRoute | null,
  onConnected?: (proxy: Duplex) => void,
): Promise<EgressResult> {
  const { transport, echoUrl, stop } = echo;
  const unsent = { reachable: false, credentialsAccepted: null };
  if (route === null) return failedCall({ code: 'password_unreadable' }, unsent);
  const place = placeOf(echoUrl);
  let connected = false;
  let tunneled = false;
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS)]);
    const proxy = await transport.openProxy(route, signal);
    connected = true;
    onConnected?.(proxy);
    if (route.kind === 'gateway' && canonicalHost(place.host) === null) {
      proxy.destroy();
      if (isLoopback(place.host))
        throw new EchoError({ code: 'only_local', params: { addresses: await transport.localEgress() } });
      throw new EchoError({ code: 'echo_without_name', params: { echo: echoUrl.host } });
    }
    const tunnel = await transport.through(route, proxy, place, signal);
    tunneled = true;
    const began = performance.now();
    const address = await callEcho(echo, tunnel, signal);
    const roundTripMs = Math.max(1, Math.round(performance.now() - began));
    // One echo call returns an address of one family only. An upstream proxy needs a second call for the other family. The
    // gateway needs no second call, because settings contain the gateway's addresses.
    const configured = { addresses: transport.configuredEgress, unanswered: [] };
    const more = route.kind === 'upstream' ? await callOtherFamily(echo, route, address) : configured;
    const addresses = [...new Set([address, ...more.addresses])];
    return { ...more, addresses, reachable: true, credentialsAccepted: true, roundTripMs, problem: null };
  } catch (error) {
    stop.throwIfAborted();
    const failed = error instanceof ConnectError ? error : null;
    // The proxy accepted the credentials if it opened the tunnel, or if it reported that the echo is unreachable.
    const accepted = tunneled || failed?.where === 'site';
    const problem = await explain(echo, problemOf(error, route, echoUrl, connected), route);
    const credentialsAccepted = failed?.reason === 'credentials' ? false : accepted || null;
    return failedCall(problem, { reachable: connected, credentialsAccepted });
  }
}

/**
 * Returns the local addresses that the problem `only_local` lists, or an empty list for any other problem.
 * Local addresses are not stored as egress addresses.
 */
export function localAddresses(problem: CheckMessage | null): readonly string[] {
  return problem?.code === 'only_local' ? problem.params.addresses : [];
}

/**
 * Looks for a second egress address. If `seen` is an IPv4 address, calls the echo endpoint over IPv6; otherwise over IPv4.
 * @param seen the egress address of the first call
 * @returns the second egress address, or the address family of a call without an answer; nothing if the echo has one family
 */
async function callOtherFamily(
  echo: Echo,
  route: ProxyRoute,
  seen: string,
): Promise<Pick<EgressResult, 'addresses' | 'unanswered'>> {
  const { transport, echoUrl, stop } = echo;
  const { host, port } = placeOf(echoUrl);
  const family = isIP(seen) === 4 ? 6 : 4;
  const addresses = isIP(host) === 0 ? await transport.resolve(host) : [];
  const literal = addresses.find((address) => isIP(address) === family);
  if (literal === undefined || !addresses.some((address) => isIP(address) !== family))
    return { addresses: [], unanswered: [] };
  const signal = AbortSignal.any([stop, AbortSignal.timeout(CALL_MS / 2)]);
  try {
    const tunnel = await transport.open(route, { host: literal, port }, signal);
    return { addresses: [await callEcho(echo, tunnel, signal)], unanswered: [] };
  } catch {
    stop.throwIfAborted();
    return { addresses: [], unanswered: [family] };
  }
}

/** Thrown when the echo endpoint cannot be called, or when another server has answered in its place. */
class EchoError extends Error {
  readonly problem: CheckMessage;

  constructor(problem: CheckMessage) {
    super(problem.code);
    this.problem = problem;
  }
}

/**
 * Calls the echo over a connection.
 * @returns the source address that the echo saw
 * @throws EchoError, ConnectError
 */
export async function callEcho(
  { transport, echoUrl }: Pick<Echo, 'transport' | 'echoUrl'>,
  connection: Duplex,
  signal: AbortSignal,
): Promise<string> {
  const { host, port } = placeOf(echoUrl);
  const tls = echoUrl.protocol === 'https:';
  const asked = { host, port, tls, verify: true, path: '/api/echo', bodyLimit: BODY_LIMIT };
  const { status, body } = await getOver(connection, asked, signal);
  const address = status === 200 ? readBody(body) : null;
  if (address === null)
    throw new EchoError({ code: 'echo_foreign', params: { origin: echoUrl.origin, status } });
  if (!transport.allowed(address))
    throw new EchoError({ code: 'echo_saw_internal', params: { address, echo: echoUrl.host } });
  return address;
}

function readBody(body: string): string | null {
  try {
    const read = Body.safeParse(JSON.parse(body));
    return read.success ? plainAddress(read.data.address) : null;
  } catch {
    return null;
  }
}

/** Host and port of the echo. */
export function placeOf(url: URL): Place {
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: portOf(url) };
}

/**
 * Returns `gateway_on_loopback` if the call failed because our own gateway listens only on loopback; otherwise `problem`.
 * @throws the abort reason of the signal `stop`
 */
async function explain(
  { transport, stop }: Echo,
  problem: CheckMessage,
  { kind }: ProxyRoute,
): Promise<CheckMessage> {
  if (kind !== 'gateway' || !unconnected.has(problem.code)) return problem;
  const hidden = await transport.gatewayHidesOnLoopback(AbortSignal.any([stop, AbortSignal.timeout(1_000)]));
  stop.throwIfAborted();
  return hidden ? { code: 'gateway_on_loopback' } : problem;
}

const unconnected: ReadonlySet<CheckMessage['code']> = new Set(['no_connection', 'unreachable', 'silent']);

function problemOf(error: unknown, { kind: route }: ProxyRoute, url: URL, connected: boolean): CheckMessage {
  if (error instanceof EchoError) return error.problem;
  const kind = route === 'gateway' ? 'gateway' : 'proxy';
  const echo = url.host;
  if (!(error instanceof ConnectError)) {
    // The time limit aborted the call.
    return connected
      ? { code: 'late', params: { kind, seconds: CALL_MS / 1000 } }
      : { code: 'unreachable', params: { kind } };
  }
  if (error.where === 'site') {
    if (error.reason === 'tls_failed') return { code: 'echo_certificate', params: { echo } };
    if (kind === 'gateway' && error.reason === 'address_refused')
      return { code: 'echo_internal', params: { echo } };
    return { code: 'echo_unreached', params: { kind, echo } };
  }
  if (error.reason === 'address_refused') return { code: 'internal_proxy' };
  if (error.reason === 'refused')
    return { code: 'refused', params: { kind, status: error.status ?? null, echo } };
  return { code: proxyProblems[error.reason], params: { kind } };
}

const proxyProblems = {
  credentials: 'credentials',
  resolve_failed: 'no_name',
  no_family: 'no_connection',
  connect_failed: 'no_connection',
  connection_refused: 'no_connection',
  no_route: 'no_connection',
  tls_failed: 'certificate',
  timeout: 'silent',
  broken_off: 'broken_off',
} as const;
