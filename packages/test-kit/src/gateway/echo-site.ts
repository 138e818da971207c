import { createServer } from 'node:https';
import { WebSocketServer } from 'ws';
import { listenOnLoopback } from '../daemon.ts';
import type { Certificate } from './certificate.ts';

export interface EchoSite {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a TLS site for browsers: a page that shows the request's Host, and an echoing WebSocket. */
export async function startEchoSite(certificate: Certificate): Promise<EchoSite> {
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (req, res) => {
    res.setHeader('content-type', 'text/html').end(`<h1>secure ${req.headers.host}</h1>`);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => socket.send(`heard ${data.toString()}`));
  });
  const { port, stop } = await listenOnLoopback(server);
  return {
    port,
    stop() {
      for (const socket of sockets.clients) socket.terminate();
      return stop();
    },
  };
}
