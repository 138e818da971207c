import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback } from '../daemon.ts';

/** A protected site that records every request. */
export interface Origin {
  readonly port: number;
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  /** Connections accepted so far, and connections open now. */
  readonly connections: () => number;
  readonly open: () => number;
  stop(): Promise<void>;
}

/**
 * Starts a site on loopback. `/drip` sends a word every 20 ms without end; `/slow` replies after 700 ms;
 * `/reset` resets the connection; `/cut` breaks off in the middle of its response; `/challenge` replies
 * 407; any other path replies `hello from <Host>`.
 */
export async function startOrigin(): Promise<Origin> {
  const requests: Origin['requests'] = [];
  let [connections, open] = [0, 0];
  // Without Node's timeouts: the gateway alone decides how long a connection lives.
  const server = createServer(
    { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 },
    async (req, res) => {
      const body = await text(req).catch(() => '(broken off)');
      requests.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body });
      if (req.url === '/drip') {
        const timer = setInterval(() => res.write('drop '), 20);
        return void res.on('close', () => clearInterval(timer));
      }
      if (req.url === '/slow') await sleep(700);
      if (req.url === '/reset') return void req.socket.resetAndDestroy();
      if (req.url === '/cut') {
        res.writeHead(200, { 'content-length': '1000' });
        return void res.write('half', () => res.destroy());
      }
      if (req.url === '/challenge')
        return void res.writeHead(407, { 'proxy-authenticate': 'Basic realm="evil"' }).end();
      const connection = 'Keep-Alive, X-Nominated';
      res
        .setHeader('X-Nominated', 'hop')
        .setHeader('Proxy-Something', 'hop')
        .setHeader('Set-Cookie', ['a=1', 'b=2']);
      if (req.url === '/nominate') res.setHeader('Connection', connection);
      res.end(`hello from ${req.headers.host}`);
    },
  );
  server.on('connection', (socket) => {
    connections += 1;
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  const listening = await listenOnLoopback(server);
  return { ...listening, requests, connections: () => connections, open: () => open };
}
