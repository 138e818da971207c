import { once } from 'node:events';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as secure, type TLSSocket } from 'node:tls';
import { type GatewayKeys, PROBE_USERNAME, signProbeToken } from '@propusk/access/gateway-secret';
import { canonicalHost } from '@propusk/access/host';
import { addressAllowed, type Networks, parseNetworks } from '@propusk/dial/addresses';
import { createDialer } from '@propusk/dial/dial';
import { DialError } from '@propusk/dial/dial-error';
import { createLookup } from '@propusk/dial/resolver';
import type { EgressAddresses } from '@propusk/dial/settings';
import type { KeyedLimiter } from '../core/keyed-limiter.ts';
import { ConnectError, type ConnectErrorReason } from './connect-error.ts';
import { connectTunnel, type TunnelAnswer } from './connect-tunnel.ts';
import { diagnoseConnect } from './diagnose-connect.ts';

/** How a probe goes: from this machine as a stranger, through our gateway, or through a company's own proxy. */
export type Route =
  | { readonly kind: 'outside' }
  | { readonly kind: 'gateway' }
  | {
      readonly kind: 'upstream';
      readonly host: string;
      readonly port: number;
      readonly username: string;
      readonly password: string;
    };

/** A host, a name or an address literal without brackets, and a port. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface TransportOptions {
  readonly allowNetworks: Networks;
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  readonly dns: readonly string[];
  /** Where clients reach the gateway: a setting of ours, and so not under the rules for what tenants type in. */
  readonly gatewayUrl: URL;
  readonly keys: GatewayKeys;
  /** Addresses that the gateway is told to leave from (GATEWAY_EGRESS). */
  readonly egress: EgressAddresses;
  /** Those servers', or the system's, unless a test says otherwise. */
  readonly lookup?: ((name: string) => Promise<readonly string[]>) | undefined;
}

/** The one way out of the api: by the dialling rules of the gateway. */
export interface Transport {
  /**
   * Opens a connection to a place.
   * @throws ConnectError saying what stood in the way; the signal's reason when it was aborted
   */
  open(way: Route, place: Place, signal: AbortSignal): Promise<Duplex>;
  /**
   * Connects to a proxy itself, without asking it for anything.
   * @throws ConnectError
   */
  openProxy(way: Exclude<Route, { kind: 'outside' }>, signal: AbortSignal): Promise<Duplex>;
  /** Asks a proxy that was connected to for a tunnel. @throws ConnectError */
  through(way: Route, proxy: Duplex, place: Place, signal: AbortSignal): Promise<Duplex>;
  /** The addresses of a name; none when it has none. */
  resolve(host: string): Promise<readonly string[]>;
  /** Public addresses that the gateway leaves from by its settings, whatever way the echo's name led. */
  readonly configuredEgress: readonly string[];
  /** Whether an address may be connected to. */
  allowed(address: string): boolean;
}

/** What slices are given that call out. */
export interface Outbound {
  readonly transport: Transport;
  readonly echoUrl: URL;
  /** Runs one call out at the word of a company's person when there is room for it. @throws AppError busy */
  readonly turns: KeyedLimiter;
  /** Aborted when the server closes: calls that are under way end. */
  readonly stop: AbortSignal;
}

const RESOLVE_MS = 5_000;
/** A probe's token outlives the probe a little: clocks differ. */
const TOKEN_SECONDS = 90;
const anywhere = parseNetworks('0.0.0.0/0,::/0') ?? { v4: [], v6: [] };

/** Puts together the api's way out. */
export function createTransport(options: TransportOptions): Transport {
  const { allowNetworks, hosts, gatewayUrl, keys, egress, dns } = options;
  const lookup = options.lookup ?? createLookup(dns);
  const dialing = { hosts, lookup, self: () => null };
  const dial = createDialer({ ...dialing, allowNetworks });
  const dialGateway = createDialer({ ...dialing, allowNetworks: anywhere });

  async function openProxy(way: Exclude<Route, { kind: 'outside' }>, signal: AbortSignal): Promise<Duplex> {
    if (way.kind === 'upstream') return named('proxy', dial(way.host, way.port, signal, 'upstream'));
    const { hostname, port, protocol } = gatewayUrl;
    const tls = protocol === 'https:';
    const socket = await named(
      'proxy',
      dialGateway(hostname, Number(port) || (tls ? 443 : 80), signal, 'upstream'),
    );
    return tls ? startTls('proxy', socket, { host: hostname, verify: true }, signal) : socket;
  }

  async function through(
    way: Route,
    proxy: Duplex,
    { host, port }: Place,
    signal: AbortSignal,
  ): Promise<Duplex> {
    const authority = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
    try {
      const answer = await connectTunnel(proxy, authority, credentialsOf(way, { host, port }, keys), signal);
      const refusal = refusalOf(way, answer);
      if (refusal !== null) throw refusal;
      return proxy;
    } catch (error) {
      proxy.destroy();
      throw error;
    }
  }

  async function openOutside({ host, port }: Place, signal: AbortSignal): Promise<Duplex> {
    try {
      return await named('site', dial(host, port, signal));
    } catch (error) {
      const literal = isIP(host) !== 0;
      if (!literal || !(error instanceof ConnectError) || error.reason !== 'connect_failed') throw error;
      throw new ConnectError('site', await diagnoseConnect(host, port, signal));
    }
  }

  return {
    openProxy,
    through,
    async open(way, place, signal) {
      if (way.kind === 'outside') return openOutside(place, signal);
      return through(way, await openProxy(way, signal), place, signal);
    },
    async resolve(host) {
      if (isIP(host) !== 0) return [host];
      const listed = hosts.get(host.toLowerCase());
      if (listed !== undefined) return listed;
      const late = new Promise<readonly string[]>((resolve) => setTimeout(resolve, RESOLVE_MS, []).unref());
      return Promise.race([lookup(host).catch(() => []), late]);
    },
    configuredEgress: [egress.v4, egress.v6].filter(
      (address) => address !== undefined && addressAllowed(address, allowNetworks),
    ) as string[],
    allowed: (address) => addressAllowed(address, allowNetworks),
  };
}

function credentialsOf(way: Route, place: Place, keys: GatewayKeys): string {
  if (way.kind === 'outside') return '';
  if (way.kind === 'upstream') {
    return way.username === '' && way.password === '' ? '' : `${way.username}:${way.password}`;
  }
  const host = canonicalHost(place.host);
  // The gateway takes names alone.
  if (host === null) throw new ConnectError('site', 'address_refused');
  const expires = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  return `${PROBE_USERNAME}:${signProbeToken(keys, { host, port: place.port, expires })}`;
}

/** What our gateway says of the site, by its `X-Propusk-Reason`; its other reasons are its own. */
const ofTheSite: Readonly<Record<string, ConnectErrorReason>> = {
  resolve_failed: 'resolve_failed',
  address_refused: 'address_refused',
  connect_failed: 'connect_failed',
  timeout: 'timeout',
};

function refusalOf(way: Route, { status, headers }: TunnelAnswer): ConnectError | null {
  if (status >= 200 && status < 300) return null;
  // tinyproxy says 401 of its own credentials.
  if (status === 407 || status === 401) return new ConnectError('proxy', 'credentials', status);
  if (way.kind === 'gateway') {
    const reason = ofTheSite[String(headers['x-propusk-reason'])];
    return reason === undefined
      ? new ConnectError('proxy', 'refused', status)
      : new ConnectError('site', reason, status);
  }
  if (status === 504) return new ConnectError('site', 'timeout', status);
  // So proxies say that the site did not take the connection (RFC 9110 section 15.6).
  if (status === 502 || status === 503) return new ConnectError('site', 'connect_failed', status);
  return new ConnectError('proxy', 'refused', status);
}

/** What a refusal of dialling means at this end of the way. */
async function named(where: 'proxy' | 'site', work: Promise<Socket>): Promise<Socket> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    throw new ConnectError(where, error.code);
  }
}

/**
 * Speaks TLS over a connection.
 * @param verify whether a certificate that is not good ends it; a probe notes it instead
 * @throws ConnectError when the other side does not
 */
export async function startTls(
  where: 'proxy' | 'site',
  socket: Duplex,
  { host, verify }: { host: string; verify: boolean },
  signal: AbortSignal,
): Promise<TLSSocket> {
  const stream = secure({
    socket,
    ...(isIP(host) === 0 && { servername: host }),
    host,
    rejectUnauthorized: verify,
    ALPNProtocols: ['http/1.1'],
  });
  stream.on('error', () => {});
  try {
    await once(stream, 'secureConnect', { signal });
    return stream;
  } catch {
    stream.destroy();
    socket.destroy();
    signal.throwIfAborted();
    throw new ConnectError(where, 'tls_failed');
  }
}
