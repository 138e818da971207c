import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import { Refusal } from '@propusk/dial/refusal';
import { nameOf } from './authenticate.ts';
import { endToEnd, hasBody, without } from './headers.ts';
import type { Passage } from './live.ts';
import type { PlainTarget } from './target.ts';
import {
  dialUpstream,
  refusedCredentials,
  unreadableUpstream,
  upstreamAuthorization,
  upstreamRefusal,
} from './upstream.ts';

/**
 * Plain HTTP in absolute form (RFC 9112 section 3.2.2):
 *
 *   client ── GET http://site/path ──> gateway ── GET /path, Host: site ──> site
 *                                             └── GET http://site/path + its own credentials ──> proxy ──> site
 *
 * Connections onward are kept for the client connection that they were opened for and for no other: servers exist that
 * tie a login to a connection (NTLM), and people must never share one.
 */

/** Silence onward that ends a request. */
const IDLE_MS = 5 * 60_000;

export interface Forward {
  /** Carries one judged request to its end. @throws Refusal when nothing of a response has been sent yet */
  carry(passage: Passage, target: PlainTarget, req: IncomingMessage, res: ServerResponse): Promise<void>;
}

interface Onward extends ClientRequestArgs {
  passage: Passage;
}

/** Connections onward of one client connection. */
class OnwardAgent extends Agent {
  readonly #dial: Dial;

  constructor(dial: Dial) {
    super({ keepAlive: true, maxFreeSockets: 4 });
    this.#dial = dial;
  }

  override createConnection(
    options: Onward,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const { egress, target, signal } = options.passage;
    const dialled =
      egress.kind === 'direct'
        ? this.#dial(target.host, target.port, signal)
        : dialUpstream(this.#dial, egress, signal);
    dialled.then(
      (socket) => done(null, socket),
      (error: Error) => done(error),
    );
  }

  /** Connections of one name are interchangeable. */
  override getName(options?: Partial<Onward>): string {
    if (options?.passage === undefined) return '';
    const { egress, target, caller } = options.passage;
    const where =
      egress.kind === 'direct' ? `${target.host}:${target.port}` : `via ${egress.host}:${egress.port}`;
    return `${nameOf(caller)} ${where}`;
  }
}

/** @param via this gateway's name in Via */
export function createForward(dial: Dial, via: string): Forward {
  const agents = new WeakMap<Duplex, OnwardAgent>();

  function agentOf(client: Duplex): OnwardAgent {
    const kept = agents.get(client);
    if (kept !== undefined) return kept;
    const agent = new OnwardAgent(dial);
    agents.set(client, agent);
    client.once('close', () => agent.destroy());
    return agent;
  }

  function ask(passage: Passage, target: PlainTarget, req: IncomingMessage): ClientRequest {
    const { egress } = passage;
    const headers = [
      'Host',
      target.authority,
      ...without(endToEnd(req.rawHeaders), 'host'),
      'Via',
      `1.1 ${via}`,
    ];
    if (req.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
    // Else a POST without a body would be given one, chunked and empty.
    else if (req.headers['content-length'] === undefined && !bodiless.has(req.method ?? '')) {
      headers.push('Content-Length', '0');
    }
    let path = target.path;
    if (egress.kind === 'upstream') {
      headers.push(...upstreamAuthorization(egress));
      path = `http://${target.authority}${path}`;
    }
    const agent = agentOf(req.socket);
    const onward: Onward = { method: req.method, path, headers, agent, passage, maxHeaderSize: 65_536 };
    return request(onward);
  }

  return {
    carry: (passage, target, req, res) =>
      new Promise((resolve, reject) => {
        if (loops(req, via)) throw new Refusal('loop');
        const { signal } = passage;
        let current: ClientRequest | IncomingMessage;
        const onAbort = () => current.destroy(signal.reason);
        signal.addEventListener('abort', onAbort);
        const end = (refusal?: Error) => {
          signal.removeEventListener('abort', onAbort);
          if (refusal === undefined) resolve();
          else reject(refusal);
        };

        const attempt = (mayRetry: boolean) => {
          const asking = ask(passage, target, req);
          current = asking;
          asking.setTimeout(IDLE_MS, () => asking.destroy(new Refusal('timeout')));
          asking.on('error', (error) => {
            if (current !== asking) return;
            // A kept connection may be closed by the other side just as it is used again (RFC 9112 section 9.3.1).
            if (mayRetry && asking.reusedSocket && !signal.aborted && repeatable(req)) return attempt(false);
            end(refusalOf(error, passage));
          });
          asking.once('response', (reply) => {
            current = reply;
            const unwanted = challengeOf(reply, passage);
            if (unwanted !== null) {
              reply.destroy();
              return end(unwanted);
            }
            const headers = [...endToEnd(reply.rawHeaders), 'Via', `1.1 ${via}`];
            try {
              res.writeHead(reply.statusCode ?? 502, reply.statusMessage ?? '', headers);
            } catch {
              // Node's parser lets in status lines that its writer refuses: `000`, control characters in the phrase.
              reply.destroy();
              // Kept by Node, it would spoil the refusal too.
              res.statusMessage = '';
              return end(unreadable(passage));
            }
            relay(reply, res, end);
          });
          // Nobody asked to change the protocol; without a listener Node would wait for ever.
          asking.once('upgrade', (_reply, socket) => {
            socket.destroy();
            end(unreadable(passage));
          });
          // The client waits with its body until the other side wants it (RFC 9110 section 10.1.1).
          asking.once('continue', () => res.writeContinue());
          if (hasBody(req.headers)) {
            asking.flushHeaders();
            req.pipe(asking);
          } else asking.end();
        };
        attempt(true);
      }),
  };
}

/**
 * Passes a response's body on. One that breaks off breaks the client's connection too, so that it cannot pass for a whole
 * one; by hand, for `pipeline` takes a sixth of the time of a short request.
 */
function relay(reply: IncomingMessage, res: ServerResponse, end: () => void): void {
  if (res.closed) {
    reply.destroy();
    return end();
  }
  // Each is followed by 'close'.
  reply.on('error', () => {});
  res.on('error', () => {});
  reply.once('close', () => {
    if (!reply.complete) res.destroy();
  });
  res.once('close', () => {
    if (!reply.readableEnded) reply.destroy();
    end();
  });
  reply.pipe(res);
}

/**
 * A response that asks the client for credentials in a proxy's place. Only this gateway may: the client's answer would
 * be its credentials for us.
 */
function challengeOf(reply: IncomingMessage, { egress }: Passage): Refusal | null {
  if (egress.kind === 'upstream') return refusedCredentials(reply) ? upstreamRefusal(407) : null;
  if (reply.statusCode !== 407) return null;
  return new Refusal('connect_failed', 'Сайт ответил так, как отвечает только прокси.');
}

const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

function repeatable(req: IncomingMessage): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && !hasBody(req.headers);
}

/** RFC 9110 section 7.6.3: our own name in Via means that the request went in a circle. */
export function loops(req: IncomingMessage, via: string): boolean {
  return req.headers.via?.includes(via) ?? false;
}

function unreadable({ egress }: Passage): Refusal {
  return egress.kind === 'direct'
    ? new Refusal('connect_failed', 'Ответ сайта нарушает правила HTTP.')
    : unreadableUpstream();
}

function refusalOf(error: Error, { egress, signal }: Passage): Error {
  if (signal.aborted || error instanceof Refusal) return error;
  if (egress.kind === 'direct') return new Refusal('connect_failed');
  return new Refusal('upstream_failed', 'Прокси компании оборвал соединение.');
}
