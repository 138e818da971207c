import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';

/** An HTTP client for the ground truth. It shares no code with the probe. */

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Visitor {
  /** The local address of the connection. */
  readonly from: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests paths of one site at one address. */
export class Client {
  readonly #module;
  readonly #agent;
  readonly #site: string;

  /** @param site host and port */
  constructor(site: string, scheme: 'http' | 'https') {
    this.#site = site;
    this.#module = scheme === 'http' ? http : https;
    // The certificates of the laboratory are self-signed.
    this.#agent =
      scheme === 'http'
        ? new http.Agent({ keepAlive: true, maxSockets: 4 })
        : new https.Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false });
  }

  /** Requests a path. @throws Error when the connection fails or the response takes longer than 10 s */
  async get(address: string, path: string, { from, headers = {} }: Visitor): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#module.request({
        host: address,
        port: this.#site.slice(this.#site.lastIndexOf(':') + 1),
        path,
        ...(address.includes(':') ? {} : { localAddress: from }),
        servername: this.#site.slice(0, this.#site.lastIndexOf(':')),
        agent: this.#agent,
        headers: { host: this.#site, ...headers },
        signal: AbortSignal.timeout(10_000),
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        buffer(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        );
      });
      outgoing.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
