import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SECRET } from './site.ts';

/** An application behind a reverse proxy; it accepts every path and method. */
export interface Application {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts an application on loopback. */
export async function startApplication(): Promise<Application> {
  const server = createServer((request, response) => {
    response.end(`${SECRET}: ${request.url}\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
