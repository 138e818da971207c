import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Serves the documentation at `/api/docs`: Swagger UI, and the OpenAPI document as JSON and YAML. Each file
 * is read and compressed once per process. Without this cache, every request to this public documentation
 * would read and compress a whole file.
 */

const PREFIX = '/api/docs';
const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** Brotli level 5 takes a third of the time of the default level 11, and its output is 5% larger. */
const LEVEL = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const types: Readonly<Record<string, string>> = {
  '.js': 'application/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.png': 'image/png',
};

/** A file of the documentation, compressed once for each encoding. All responses send the same buffers. */
interface Page {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** Registers the routes of the API documentation. @param logo an SVG image */
export async function serveDocumentation(app: FastifyInstance, logo: string): Promise<void> {
  // JSON.parse avoids a type error: the plugin's types describe only OpenAPI 3.0, although the plugin serves later versions.
  const text = await readFile(new URL('./openapi.json', import.meta.url), 'utf8');
  const document: StaticDocumentSpec['document'] = JSON.parse(text);
  await app.register(swagger, { mode: 'static', specification: { document } });
  const sources = new Map<string, { type: string; read: () => Promise<string | Buffer> }>([
    [
      `${PREFIX}/json`,
      { type: 'application/json; charset=utf-8', read: async () => JSON.stringify(app.swagger()) },
    ],
    [`${PREFIX}/yaml`, { type: 'application/x-yaml', read: async () => app.swagger({ yaml: true }) }],
  ]);
  const require = createRequire(import.meta.url);
  const folder = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
  for (const name of await readdir(folder)) {
    const type = types[extname(name)];
    if (type === undefined || name === 'index.html') continue;
    sources.set(`${PREFIX}/static/${name}`, { type, read: () => readFile(join(folder, name)) });
  }
  // Grows with requested paths of the documentation. Bound: one entry for each documentation file, a few MB in total. At the
  // bound: the map holds every file
  const pages = new Map<string, Promise<Page>>();

  async function send(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const path = request.url.replace(/\?.*/s, '');
    const source = sources.get(path);
    if (source === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return;
    const known = pages.get(path);
    const made = known ?? source.read().then((content) => pageOf(source.type, content));
    if (known === undefined) {
      pages.set(path, made);
      // After a failed read, the next request reads the file again.
      made.catch(() => pages.delete(path));
    }
    return answer(request, reply, await made);
  }

  await app.register(async (scope) => {
    scope.addHook('onRequest', send);
    await scope.register(swaggerUi, { routePrefix: PREFIX, logo: { type: 'image/svg+xml', content: logo } });
  });
}

async function pageOf(type: string, content: string | Buffer): Promise<Page> {
  const plain = Buffer.from(content);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, etag, plain, br: await brotli(plain, LEVEL), gzip: await zip(plain) };
}

function answer(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  reply.headers({
    'content-type': page.type,
    etag: page.etag,
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  });
  if (request.headers['if-none-match'] === page.etag) return reply.status(304).send();
  const accepted = request.headers['accept-encoding'] ?? '';
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null;
  if (encoding === null) return reply.send(page.plain);
  return reply.header('content-encoding', encoding).send(page[encoding]);
}
