import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import type { AccessIndex } from '@propusk/access/snapshot';
import { authenticate } from './authenticate.ts';
import type { Config } from './config.ts';
import { createDialer } from './dial.ts';
import { startFeed } from './feed.ts';
import { createForward } from './forward.ts';
import { hasBody } from './headers.ts';
import { createJudge } from './judge.ts';
import { createLive } from './live.ts';
import type { Log } from './log.ts';
import { answerBytes, answerRefusal, Refusal } from './refusal.ts';
import { openSnapshots } from './snapshot.ts';
import { isAbsoluteForm, readAbsoluteForm, readAuthorityForm } from './target.ts';
import { tunnel } from './tunnel.ts';

/**
 * The gateway: an HTTP proxy that carries what the rule of access allows.
 *
 *   request ─> authenticate ─> judge ─> CONNECT: tunnel ─┬─> dial ─> site
 *      │            │            │      http://: forward ┘      └──> the company's proxy ─> site
 *      └────────────┴────────────┴─> refusal: a status line, a reason, a page
 *
 *   feed ─> snapshots ─> judge: every change is judged again for all that is live
 */

export interface Gateway {
  readonly index: AccessIndex;
  /** How many tunnels and requests are being carried. */
  readonly live: () => number;
  /** Whether what it knows is too old to be believed, and all is denied. */
  readonly stale: () => boolean;
  /** Starts to serve and to follow the feed. @returns the port */
  listen(): Promise<number>;
  /** Stops accepting, lets what is being carried end until the deadline, then ends it. */
  close(deadlineMs?: number): Promise<void>;
}

const LIMITS = { perUser: 512, total: 20_000 };
const HEAD_MS = 10_000;
const DRAIN_MS = 5_000;

/** Why a passage is aborted when nobody is left to be told why. */
const clientLeft = new Error('The client has left');

/** Puts a gateway together. Nothing listens or connects before `listen()`. */
export async function createGateway(config: Config, log: Log): Promise<Gateway> {
  const keys = gatewayKeys(config.secret);
  const snapshots = await openSnapshots(config, keys.snapshot, log);
  const live = createLive(createJudge(snapshots.index, snapshots.stale), LIMITS);
  const dial = createDialer({ ...config, self: ownAddress });
  const forward = createForward(dial, `propusk-${randomBytes(6).toString('hex')}`);
  /** The response that a client connection is being given. */
  const answering = new WeakMap<Duplex, ServerResponse>();
  let draining = false;

  const server = createServer(
    {
      maxHeaderSize: 32_768,
      headersTimeout: HEAD_MS,
      // How often the line above is looked at; by itself Node does it every 30 s.
      connectionsCheckingInterval: 1_000,
      // Uploads take what they take; silence in one ends it (forward.ts).
      requestTimeout: 0,
      keepAliveTimeout: 60_000,
      noDelay: true,
      insecureHTTPParser: false,
    },
    onRequest,
  );
  // By itself Node asks for the body before anybody has been asked for a name.
  server.on('checkContinue', onRequest);
  server.on('connect', onConnect);
  server.on('clientError', onClientError);

  function ownAddress() {
    const address = server.address();
    return address === null || typeof address === 'string' ? null : address;
  }

  async function onRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
    answering.set(req.socket, res);
    if (draining) res.shouldKeepAlive = false;
    const asked = req.url ?? '';
    let user: number | undefined;
    try {
      if (!isAbsoluteForm(asked)) throw new Refusal('bad_request');
      const token = authenticate(keys, req.headers['proxy-authorization']);
      user = token.userId;
      const target = readAbsoluteForm(asked);
      const passage = live.enter(token, target);
      res.once('close', () => passage.abort(clientLeft));
      try {
        await forward(passage, target, req, res);
      } finally {
        passage.leave();
      }
    } catch (error) {
      refuseRequest(req, res, noteRefusal(error, user, asked));
    }
  }

  function refuseRequest(req: IncomingMessage, res: ServerResponse, refusal: Refusal): void {
    if (res.destroyed) return;
    // Too late for words: a cut is the only way left to say that this response is not whole.
    if (res.headersSent) return void res.destroy();
    // What is left of a body nobody wants would have to be read before the next request.
    if (hasBody(req.headers)) res.shouldKeepAlive = false;
    const { status, headers, body } = answerRefusal(refusal, siteOf(req.url), config.consoleUrl);
    res.writeHead(status, [...headers]);
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  async function onConnect(req: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    // Always followed by 'close', which is listened to.
    client.on('error', () => {});
    // Pipelined behind a request that is still being answered: an answer now would pass for the other's.
    if (answering.get(client)?.writableFinished === false) return void client.destroy();
    const asked = req.url ?? '';
    let user: number | undefined;
    try {
      const token = authenticate(keys, req.headers['proxy-authorization']);
      user = token.userId;
      if (draining) throw new Refusal('stopping');
      const target = readAuthorityForm(asked);
      const passage = live.enter(token, target);
      const left = () => passage.abort(clientLeft);
      client.once('close', left);
      try {
        const carried = await tunnel(dial, passage, client, head);
        log.debug({ user, target: asked, ...carried }, 'Tunnel ended');
      } finally {
        passage.leave();
      }
    } catch (error) {
      refuseSocket(client, noteRefusal(error, user, asked), asked);
    }
  }

  function onClientError(error: NodeJS.ErrnoException, client: Duplex): void {
    const answer = answering.get(client);
    if (!client.writable || (answer?.headersSent && !answer.writableFinished)) return void client.destroy();
    refuseSocket(
      client,
      new Refusal('bad_request', headFaults[error.code ?? '']?.[1]),
      '',
      headFaults[error.code ?? '']?.[0],
    );
  }

  function refuseSocket(client: Duplex, refusal: Refusal, site: string, status?: number): void {
    if (client.destroyed) return;
    const answer = answerRefusal(refusal, site, config.consoleUrl);
    const shown = status === undefined ? answer : { ...answer, status };
    client.end(answerBytes(shown, STATUS_CODES[shown.status] ?? 'Refused'), () => client.destroy());
  }

  function noteRefusal(error: unknown, user: number | undefined, asked: string): Refusal {
    if (error instanceof Refusal) {
      log.info({ reason: error.reason, user, target: siteOf(asked) }, 'Refused');
      return error;
    }
    // Whatever went wrong, it is a refusal.
    if (error !== clientLeft) log.error({ err: error }, 'Failed');
    return new Refusal('connect_failed');
  }

  const feedLog = log.child({});
  let stopFeed = async () => {};
  const watch = { timer: undefined as NodeJS.Timeout | undefined };

  return {
    index: snapshots.index,
    live: () => live.size,
    stale: snapshots.stale,
    async listen() {
      server.listen(config.port, config.host);
      await once(server, 'listening');
      const port = ownAddress()?.port ?? config.port;
      stopFeed = startFeed({
        apiUrl: config.apiUrl,
        key: keys.feed,
        gateway: `${hostname()}:${port}`.slice(-100),
        snapshots,
        live,
        log: feedLog,
      });
      // Time alone takes rights away too: a token's end, a snapshot's age.
      watch.timer = setInterval(() => live.recheck(), 1_000);
      return port;
    },
    async close(deadlineMs = DRAIN_MS) {
      draining = true;
      // The api is often stopped together with us; that it is away no longer concerns anybody.
      feedLog.level = 'error';
      const closed = once(server, 'close');
      server.close();
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      const deadline = setTimeout(() => {
        live.abortAll(new Refusal('stopping'));
        server.closeAllConnections();
      }, deadlineMs);
      await closed;
      clearInterval(idle);
      clearTimeout(deadline);
      clearInterval(watch.timer);
      await stopFeed();
      await snapshots.close();
    },
  };
}

/** Faults of a request's head that have a status of their own. */
const headFaults: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Заголовки запроса слишком велики.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Запрос не пришёл вовремя.'],
};

/** What a refusal page and the log call the site: without path and query, which may hold secrets. */
function siteOf(requestTarget = ''): string {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#]*@)?([^/?#]*)/i.exec(requestTarget)?.[1] ?? '';
}
