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
import type { ActiveRequest } from './active-requests.ts';
import { hasBody } from './headers.ts';
import { connectNextHop } from './origin-connect.ts';
import {
  answer,
  HEAD_MOST,
  IDLE_MS,
  type OriginRequest,
  originKey,
  refusalOf,
  unreadable,
} from './origin-request.ts';
import { ProxyError } from './proxy-error.ts';
import { exceedsReadBudget } from './read-budget.ts';

/** Requests with a body, or with a method that may change something: never sent twice. They go onward by node:http. */

interface OriginConnection extends ClientRequestArgs {
  active: ActiveRequest;
}

/** Connections onward of one client connection. */
export class OriginAgent extends Agent {
  readonly #dial: Dial;

  constructor(dial: Dial) {
    super({ keepAlive: true, maxFreeSockets: 4 });
    this.#dial = dial;
  }

  override createConnection(
    options: OriginConnection,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    connectNextHop(this.#dial, options.active).then(
      (socket) => done(null, socket),
      (error: Error) => done(error),
    );
  }

  /** Connections of one name are interchangeable. */
  override getName(options?: Partial<OriginConnection>): string {
    return options?.active === undefined ? '' : originKey(options.active);
  }
}

/**
 * Sends a request and its response back.
 * @param via this gateway's name in Via
 * @throws ProxyError while nothing of the response is sent
 */
export function sendByHttp(
  agent: OriginAgent,
  active: ActiveRequest,
  { method, path, headers }: OriginRequest,
  req: IncomingMessage,
  res: ServerResponse,
  via: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal } = active;
    const onward: OriginConnection = {
      method,
      path,
      headers,
      agent,
      active,
      maxHeaderSize: HEAD_MOST,
    };
    const asking: ClientRequest = request(onward);
    let current: ClientRequest | IncomingMessage = asking;
    const onAbort = () => {
      current.destroy(signal.reason);
      // Its end alone would let go what stands behind other answers still (origin-undici.ts).
      if (res.headersSent) req.socket.destroy();
    };
    signal.addEventListener('abort', onAbort);
    const end = (refusal?: Error) => {
      signal.removeEventListener('abort', onAbort);
      if (refusal === undefined) resolve();
      else reject(refusal);
    };
    asking.setTimeout(IDLE_MS, () => asking.destroy(new ProxyError('timeout')));
    asking.on('error', (error) => {
      if (current === asking) end(refusalOf(error, active));
    });
    asking.once('response', (reply) => {
      current = reply;
      const { statusCode: status = 502, statusMessage: phrase = '', rawHeaders } = reply;
      const refusal = answer({ status, phrase, rawHeaders }, res, active, via);
      if (refusal === null) return relay(reply, req.socket, res, end);
      reply.destroy();
      end(refusal);
    });
    // Nobody asked to change the protocol; without a listener Node would wait for ever.
    asking.once('upgrade', (_reply, socket) => {
      socket.destroy();
      end(unreadable(active));
    });
    // The client waits with its body until the other side wants it (RFC 9110 section 10.1.1); one that does not wait knows none.
    if (req.headers.expect !== undefined) asking.once('continue', () => res.writeContinue());
    if (hasBody(req.headers)) {
      asking.flushHeaders();
      req.pipe(asking);
    } else asking.end();
  });
}

/**
 * Passes a response's body on. One that breaks off breaks the client's connection too, so that it cannot pass for a whole
 * one; by hand, for `pipeline` takes a sixth of the time of a short request.
 */
function relay(reply: IncomingMessage, client: Duplex, res: ServerResponse, end: () => void): void {
  if (res.closed) {
    reply.destroy();
    return end();
  }
  // Each is followed by 'close'.
  reply.on('error', () => {});
  res.on('error', () => {});
  reply.once('close', () => {
    if (reply.complete) return;
    client.destroy();
    res.destroy();
  });
  res.once('close', () => {
    if (!reply.readableEnded) reply.destroy();
    end();
  });
  reply.on('data', (bytes: Buffer) => {
    if (!exceedsReadBudget(bytes.length)) return;
    reply.pause();
    // A response that needs a drain is resumed by `pipe`.
    setImmediate(() => res.writableNeedDrain || reply.resume());
  });
  reply.pipe(res);
}
