import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import { plainAddress } from '@propusk/dial/addresses';

/** Asks DNS itself: /etc/hosts often holds a server's own name with a loopback address. */
export class Dns {
  readonly #resolver = new Resolver({ timeout: 2_000, tries: 2 });

  /** @param servers instead of the system's (GATEWAY_DNS) */
  constructor(servers: readonly string[]) {
    if (servers.length > 0) this.#resolver.setServers(servers);
  }

  /** @returns the addresses of a name; none when DNS has no answer */
  async addressesOf(name: string): Promise<string[]> {
    const families = [this.#resolver.resolve4(name), this.#resolver.resolve6(name)];
    const found = await Promise.allSettled(families);
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value.map(plainAddress) : []));
  }

  /** Resolves the names of requests. Node asks for all addresses (`autoSelectFamily`). */
  readonly lookup: LookupFunction = (name, _, done) => {
    void this.addressesOf(name).then((found) =>
      done(
        found.length > 0 ? null : Object.assign(new Error(name), { code: 'ENOTFOUND' }),
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  };
}

async function request(url: string, options: RequestOptions): Promise<IncomingMessage> {
  const { get } = url.startsWith('https:') ? https : http;
  const signal = AbortSignal.timeout(10_000);
  const [reply] = await once(get(url, { agent: false, signal, ...options }), 'response');
  return reply as IncomingMessage;
}

/** @returns null when the URL answers 200, over a valid certificate if it is https; else the status or the error's code */
export async function faultOf(url: string, { lookup }: Dns): Promise<string | null> {
  try {
    const { statusCode } = (await request(url, { lookup })).resume();
    return statusCode === 200 ? null : `HTTP ${statusCode}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/**
 * Stands in for a try against the CA's staging directory: serves a token where HTTP-01 looks for it (RFC 8555 section 8.3),
 * and requests it by the public names. A firewall in front of this machine stays unnoticed.
 * @returns the names that did not lead here
 */
export async function namesThatMissHttp01(
  names: readonly string[],
  port: number,
  { lookup }: Dns,
): Promise<string[]> {
  const token = randomBytes(16).toString('hex');
  const server = http.createServer((_, reply) => reply.end(token)).listen(port);
  // The product listens already: `checkPorts` refused every other program.
  if ((await once(server, 'listening').catch(() => null)) === null) return [];
  const path = `:${port}/.well-known/acme-challenge/${token}`;
  const answers = await Promise.allSettled(
    names.map(async (name) => text(await request(`http://${name}${path}`, { lookup }))),
  );
  server.close();
  return names.filter((_, at) => {
    const answer = answers[at];
    return answer?.status !== 'fulfilled' || answer.value !== token;
  });
}
