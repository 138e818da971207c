import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { extensionNotBuilt } from '@propusk/phrases/api-start';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServerConfig } from '../config.ts';
import { answerNoSuchCall } from './error-reply.ts';

const built = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
const extension = fileURLToPath(new URL('../../../extension/dist/', import.meta.url));

/** The console's pages, by the first segment of their path (`apps/web/src/router.tsx`). */
const pages = /^\/(?:(?:auth|dashboard|extension|help|lock|security)(?:[/?]|$)|\?|$)/;
/** Paths of files and api calls, which are never pages of the console. */
const noPages = /^\/(?:api|assets|downloads)(?:[/?]|$)/;

const zip = 'application/zip';
/** The media types of the builds of the extension, and of the lists from which browsers learn of updates. */
const downloads = {
  'propusk-chromium.zip': zip,
  'propusk-firefox.zip': zip,
  'propusk.crx': 'application/x-chrome-extension',
  'propusk.xpi': 'application/x-xpinstall',
  'updates.xml': 'application/xml',
  'updates.json': 'application/json',
};

/**
 * Serves the built console at `/` and the builds of the extension at `/downloads/`. The console is a single-page application:
 * every path of a page gets index.html. A browser that opens an unknown path also gets index.html, which displays an error. Other
 * requests to unknown paths get 404, for example the request of Prometheus for `/metrics`.
 */
export async function serveConsole(
  app: FastifyInstance,
  { helpUrl, extensionDir }: Pick<ServerConfig, 'helpUrl' | 'extensionDir'>,
): Promise<void> {
  if (helpUrl !== undefined) app.get('/help', (_, reply) => reply.redirect(helpUrl));
  const isBuilt = existsSync(`${built}index.html`);
  if (isBuilt) {
    await app.register(fastifyStatic, {
      root: built,
      wildcard: false,
      cacheControl: false,
      // The build writes a .br and a .gz file beside each file.
      preCompressed: true,
      setHeaders: (reply, path) => {
        // Files in assets/ never change, because their names contain a hash of the content. Other files must be revalidated.
        const isHashed = path.includes('/assets/');
        reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }
  for (const [name, type] of Object.entries(downloads)) {
    app.get(`/downloads/${name}`, async (request, reply) => {
      // The zips of EXTENSION_DIR install under the ids of the signed builds.
      const file = await open(join(extensionDir, name))
        .catch(() => (type === zip ? open(join(extension, name)) : null))
        .catch(() => null);
      if (file === null && type !== zip) return answerNoSuchCall(request, reply);
      reply.header('cache-control', 'no-cache');
      if (file === null) return reply.status(404).type('text/html; charset=utf-8').send(extensionNotBuilt);
      const { size } = await file.stat();
      // Browsers install a signed build instead of saving it.
      if (type === zip) reply.header('content-disposition', `attachment; filename="${name}"`);
      return reply.type(type).header('content-length', size).send(file.createReadStream());
    });
  }
  app.setNotFoundHandler((request, reply) => {
    const isPage = isBuilt && request.method === 'GET' && !noPages.test(request.url);
    return isPage && (pages.test(request.url) || isNavigation(request))
      ? reply.sendFile('index.html')
      : answerNoSuchCall(request, reply);
  });
}

/** Whether a user opens the path in a browser. Browsers send Sec-Fetch-Mode only over https and to loopback. */
function isNavigation({ headers }: FastifyRequest): boolean {
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? (headers.accept ?? '').includes('text/html') : mode === 'navigate';
}
