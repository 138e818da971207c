import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type GatewayKeys, PROBE_USERNAME, signProbeToken } from '@propusk/access/gateway-secret';
import { canonicalHost } from '@propusk/access/host';
import { isLoopback } from '@propusk/contract/settings';
import { addressAllowed, parseNetworks } from '@propusk/dial/addresses';
import { createDialer, dialByPromise } from '@propusk/dial/dial';
import { DialError } from '@propusk/dial/dial-error';
import type { OwnMachineOptions } from '@propusk/dial/own-machine';
import { createLookup, type Lookup } from '@propusk/dial/resolver';
import type { EgressAddresses } from '@propusk/dial/settings';
import type { KeyedLimiter } from '../core/keyed-limiter.ts';
import { ConnectError, diagnoseConnect } from './connect-error.ts';
import { connectTunnel, type ResponseHead } from './connect-tunnel.ts';

/** The proxy of a request: our gateway, or a company's own proxy. */
export type ProxyRoute =
  | { readonly kind: 'gateway' }
  | {
      readonly kind: 'upstream';
      readonly host: string;
      readonly port: number;
      readonly username: string;
      readonly password: string;
    };

/**
 * The route of a request: through a proxy, or directly from this machine (`outside`). With `toEcho`, the request may also reach
 * ports of this machine, because the operator chose the address of the echo endpoint.
 */
export type Route = { readonly kind: 'outside'; readonly toEcho?: true } | ProxyRoute;

/** A host (a name, or an address literal without brackets) and a port. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface TransportOptions extends Omit<OwnMachineOptions, 'echoUrl'> {
  readonly echoUrl?: URL;
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  readonly dns: readonly string[];
  /** The gateway's URL for clients. The operator sets this URL, so the address rules for tenants do not apply to it. */
  readonly gatewayUrl: URL;
  readonly keys: GatewayKeys;
  /** The gateway's source addresses (GATEWAY_EGRESS). */
  readonly egress: EgressAddresses;
  /** Tests use this function instead of the DNS servers in `dns`. */
  readonly lookup?: Lookup | undefined;
}

/**
 * Opens all connections of the api to sites and proxies, by the dialing rules of the gateway. DNS lookups are limited for each
 * host, and not for each company, because the queues of probes and of outbound calls already limit each company.
 */
export interface Transport {
  /**
   * Opens a connection to a host and port, directly or through the proxy of the route.
   * @throws ConnectError when the connection fails; the signal's reason when the signal is aborted
   */
  open(route: Route, place: Place, signal: AbortSignal): Promise<Duplex>;
  /** Opens a connection to the proxy of a route, for `through`. @throws ConnectError */
  openProxy(route: ProxyRoute, signal: AbortSignal): Promise<Duplex>;
  /** Requests a tunnel over a proxy connection that `openProxy` opened. @throws ConnectError */
  through(route: ProxyRoute, proxy: Duplex, place: Place, signal: AbortSignal): Promise<Duplex>;
  /** Resolves a name to its addresses. The list is empty if the name is unknown. */
  resolve(host: string): Promise<readonly string[]>;
  /** Whether the gateway accepts connections only on loopback, although its URL for users is a network address. */
  gatewayHidesOnLoopback(signal: AbortSignal): Promise<boolean>;
  /** The public addresses in GATEWAY_EGRESS, from which the gateway opens connections. */
  readonly configuredEgress: readonly string[];
  /** The source addresses of this machine for connections to other networks. A router (NAT) may replace these addresses. */
  localEgress(): Promise<readonly string[]>;
  /** Whether the dialer may connect to an address. */
  allowed(address: string): boolean;
}

/** Dependencies of the api modules that send outbound requests. */
export interface Outbound {
  readonly transport: Transport;
  readonly echoUrl: URL;
  /** Limits the concurrent outbound calls of each company, and queues further ones. @throws AppError busy for a full queue */
  readonly turns: KeyedLimiter;
  /** This signal is aborted on shutdown, to end running calls. */
  readonly stop: AbortSignal;
}

/** The lifetime of a probe token exceeds the 90 s of a probe, because the gateway's clock may differ. */
const TOKEN_SECONDS = 120;
const anywhere = parseNetworks('0.0.0.0/0,::/0') ?? { v4: [], v6: [] };

/** Builds the api's transport. */
export function createTransport(options: TransportOptions): Transport {
  const { allowNetworks, hosts, gatewayUrl, keys, egress, dns, ownAddresses, ownPorts } = options;
  const lookup = options.lookup ?? createLookup({ servers: dns });
  const own = { ownAddresses, ownPorts, echoUrl: options.echoUrl?.origin };
  const dial = dialByPromise(createDialer({ hosts, lookup, allowNetworks, ...own }));
  const dialEcho = dialByPromise(createDialer({ hosts, lookup, allowNetworks, trusted: true }));
  const dialGateway = dialByPromise(createDialer({ hosts, lookup, allowNetworks: anywhere, trusted: true }));

  const allowed = (address: string) => addressAllowed(address, allowNetworks);
  const sources = [egress.v4, egress.v6].filter((address) => address !== undefined);

  async function openProxy(route: ProxyRoute, signal: AbortSignal): Promise<Duplex> {
    if (route.kind === 'upstream')
      return connecting('proxy', dial(route.host, route.port, route.host, signal, 'upstream'));
    const { hostname, protocol } = gatewayUrl;
    const socket = await connecting('proxy', dialGatewayAt(hostname, signal));
    if (protocol !== 'https:') return socket;
    return startTls('proxy', socket, { host: hostname, verify: true }, signal);
  }

  async function through(
    route: ProxyRoute,
    proxy: Duplex,
    { host, port }: Place,
    signal: AbortSignal,
  ): Promise<Duplex> {
    const authority = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
    try {
      const credentials = credentialsOf(route, { host, port }, keys);
      const error = tunnelError(route, await connectTunnel(proxy, authority, credentials, signal));
      if (error !== null) throw error;
      return proxy;
    } catch (error) {
      proxy.destroy();
      throw error;
    }
  }

  const dialGatewayAt = (host: string, signal: AbortSignal) => {
    return dialGateway(host, portOf(gatewayUrl), host, signal, 'upstream');
  };

  return {
    openProxy,
    through,
    async gatewayHidesOnLoopback(signal) {
      if (isLoopback(gatewayUrl.hostname)) return false;
      const accepts = (host: string) =>
        dialGatewayAt(host, signal).then(
          (socket) => socket.destroy() !== undefined,
          () => false,
        );
      return (await accepts('127.0.0.1')) && !(await accepts(gatewayUrl.hostname));
    },
    async open(route, place, signal) {
      if (route.kind !== 'outside') return through(route, await openProxy(route, signal), place, signal);
      const { host, port } = place;
      return connecting('site', (route.toEcho ? dialEcho : dial)(host, port, host, signal), host);
    },
    async resolve(host) {
      if (isIP(host) !== 0) return [host];
      try {
        return hosts.get(host.toLowerCase()) ?? (await lookup(host, host));
      } catch {
        return [];
      }
    },
    configuredEgress: sources.filter(allowed),
    localEgress: async () => (sources.length > 0 ? sources : sourceAddresses()),
    allowed,
  };
}

/** The explicit or default port of a URL. */
export const portOf = ({ protocol, port }: URL) => Number(port) || (protocol === 'https:' ? 443 : 80);

/** Finds the source addresses of this machine's connections to other networks. Connecting a UDP socket sends no packet. */
async function sourceAddresses(): Promise<readonly string[]> {
  // The sockets connect to documentation addresses (RFC 5737, RFC 3849), because no local network contains these addresses.
  const targets = [
    ['udp4', '192.0.2.1'],
    ['udp6', '2001:db8::1'],
  ] as const;
  const found = await Promise.all(
    targets.map(async ([type, target]) => {
      const socket = createSocket(type);
      try {
        socket.connect(9, target);
        await once(socket, 'connect');
        return [socket.address().address];
      } catch {
        return [];
      } finally {
        socket.close();
      }
    }),
  );
  const addresses = found.flat();
  return addresses.length > 0 ? addresses : ['127.0.0.1'];
}

function credentialsOf(route: ProxyRoute, place: Place, keys: GatewayKeys): string {
  if (route.kind === 'upstream') {
    return route.username === '' && route.password === '' ? '' : `${route.username}:${route.password}`;
  }
  const host = canonicalHost(place.host);
  // Fail before the request, because the gateway would refuse a CONNECT to an address literal.
  if (host === null) throw new ConnectError('site', 'address_refused');
  const expires = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  return `${PROBE_USERNAME}:${signProbeToken(keys, { host, port: place.port, expires })}`;
}

/** Values of the gateway's `X-Propusk-Reason` that concern the site. All other values concern the gateway. */
const siteReasons = ['resolve_failed', 'address_refused', 'no_family', 'connect_failed', 'timeout'] as const;

/**
 * Returns the error that a response of our gateway reports about the site; null for other responses. In a tunnel for plain
 * HTTP, the gateway sends a response of its own when the site closes the connection.
 */
export function refusalWithin({ kind }: Route, { status, headers }: ResponseHead): ConnectError | null {
  const reason = siteReasons.find((one) => one === headers['x-propusk-reason']);
  return kind !== 'gateway' || reason === undefined ? null : new ConnectError('site', reason, status);
}

function tunnelError(route: ProxyRoute, head: ResponseHead): ConnectError | null {
  const { status } = head;
  if (status >= 200 && status < 300) return null;
  // tinyproxy answers 401 instead of 407 for wrong proxy credentials.
  if (status === 407 || status === 401) return new ConnectError('proxy', 'credentials', status);
  const refused = new ConnectError('proxy', 'refused', status);
  if (route.kind === 'gateway') return refusalWithin(route, head) ?? refused;
  if (status === 504) return new ConnectError('site', 'timeout', status);
  // With 502 or 503, the proxy reports that it could not connect to the site (RFC 9110 section 15.6).
  return status === 502 || status === 503 ? new ConnectError('site', 'connect_failed', status) : refused;
}

/**
 * Converts a DialError to a ConnectError. Uses the errno only for an address literal. For a name, the errno
 * may concern only one of several addresses.
 */
async function connecting(where: 'proxy' | 'site', dialed: Promise<Socket>, host = ''): Promise<Socket> {
  try {
    return await dialed;
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    // The resolver's queue is full, so the name was not looked up.
    if (error.code === 'names_busy') throw new ConnectError(where, 'resolve_failed');
    const diagnosed = error.code === 'connect_failed' && isIP(host) !== 0;
    throw new ConnectError(where, diagnosed ? diagnoseConnect(error.errno) : error.code);
  }
}

/**
 * Starts TLS over a connection.
 * @param verify whether an invalid certificate fails the handshake; false for probes, which report the certificate instead
 * @throws ConnectError when the handshake fails
 */
export async function startTls(
  where: 'proxy' | 'site',
  socket: Duplex,
  { host, verify }: { host: string; verify: boolean },
  signal: AbortSignal,
): Promise<TLSSocket> {
  const stream = connectTls({
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
