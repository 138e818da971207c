import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { extensionNotBuilt } from '@propusk/phrases/api-start';
import type { FastifyInstance } from 'fastify';
import { answerNoSuchCall } from './error-reply.ts';

const built = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
const extension = fileURLToPath(new URL('../../../extension/dist/', import.meta.url));

/** Serves the built console at `/`, and the extension to install at `/downloads/`. The console's routes live in the browser, so any other page address answers with it too. */
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
  for (const browser of ['chromium', 'firefox']) {
    const name = `propusk-${browser}.zip`;
    app.get(`/downloads/${name}`, async (_, reply) => {
      reply.header('cache-control', 'no-cache');
      const zip = await open(`${extension}${name}`).catch(() => null);
      if (zip === null) return reply.status(404).type('text/html; charset=utf-8').send(extensionNotBuilt);
      const { size } = await zip.stat();
      return reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('content-length', size)
        .send(zip.createReadStream());
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const page = request.method === 'GET' && !/^\/(api|assets)(\/|\?|$)/.test(request.url);
    return page && there ? reply.sendFile('index.html') : answerNoSuchCall(request, reply);
  });
}
