import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { answerNoSuchCall } from './errors.ts';

const built = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

/** Serves the built console at `/`. Its routes live in the browser, so any other page address answers with it too. */
export async function serveConsole(app: FastifyInstance): Promise<void> {
  const there = existsSync(`${built}index.html`);
  if (there) {
    await app.register(fastifyStatic, {
      root: built,
      wildcard: false,
      cacheControl: false,
      // The build lays .br and .gz beside what they are of.
      preCompressed: true,
      setHeaders: (reply, path) => {
        // Names in assets/ carry a hash of their content; the page that names them must be asked for again.
        const kept = path.includes('/assets/');
        reply.header('cache-control', kept ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const page = request.method === 'GET' && !/^\/(api|assets)(\/|\?|$)/.test(request.url);
    return page && there ? reply.sendFile('index.html') : answerNoSuchCall(request, reply);
  });
}
