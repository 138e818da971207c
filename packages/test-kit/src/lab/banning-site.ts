import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { page } from './layout.ts';
import { typeOf } from './servers.ts';

/** A locked site that bans addresses like fail2ban. */
export interface BanningSite {
  /** Host and port. */
  readonly site: string;
  /** The addresses that are banned. */
  readonly banned: ReadonlySet<string>;
  /** The number of responses with 403 or 404 by address. */
  readonly failures: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/**
 * Starts a site that ignores an address after some responses with 403 or 404 within a minute. Its pages have dead links, and it
 * has neither robots.txt nor a sitemap.
 * @param address the loopback address to listen on
 * @param user the address that the lock admits
 * @param afterwards the treatment of a banned address
 */
export async function startBanningSite(
  name: string,
  address: string,
  user: string,
  afterwards: 'drops packets' | 'resets connections',
  limit = 5,
): Promise<BanningSite> {
  const failures = new Map<string, number>();
  const banned = new Set<string>();
  const times = new Map<string, number[]>();
  const sockets = new Set<Socket>();
  const files: Readonly<Record<string, string>> = {
    '/': page(
      'Начало',
      '/style.css',
      '/old/',
      '/older.html',
      '/files/act.pdf',
      '/files/gone.pdf',
      '/icon.png',
      '/news/',
    ),
    '/style.css': 'body{}\n',
    '/files/act.pdf': '%PDF\n',
    '/news/': page('Новости', '/news/gone.html', '/news/photo.png', '/'),
  };
  const server = createServer((request, response) => {
    const from = request.socket.remoteAddress ?? '';
    const path = request.url ?? '/';
    if (banned.has(from)) {
      if (afterwards === 'resets connections') request.socket.resetAndDestroy();
      return;
    }
    const text = from === user ? files[path] : undefined;
    if (text === undefined) {
      const now = performance.now();
      const recent = [...(times.get(from) ?? []), now].filter((time) => time > now - 60_000);
      times.set(from, recent);
      failures.set(from, (failures.get(from) ?? 0) + 1);
      if (recent.length >= limit) banned.add(from);
    }
    response.writeHead(text === undefined ? (from === user ? 404 : 403) : 200, {
      'content-type': typeOf(path),
    });
    response.end(text ?? 'refused\n');
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, address), 'listening');
  return {
    site: `${name}:${(server.address() as AddressInfo).port}`,
    banned,
    failures,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
