import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { onTestFinished } from 'vitest';
import { buildExtension } from '../src/build-extension.ts';
import { type PublishedBuilds, signExtension } from '../src/extension/sign.ts';

/** A console on loopback that serves the signed builds of the extension and answers the calls that the extension makes. */
export interface SigningConsole {
  readonly origin: string;
  /** The folder of the served files. */
  readonly folder: string;
  /** The calls received, each as `token method path`. */
  readonly calls: readonly string[];
  /** Changes of the reply to `GET /me/access`. */
  readonly access: Record<string, unknown>;
  /** Downloads wait for this promise. */
  released: Promise<unknown>;
  /** Signs and serves the built extension as another version. @param changes of its manifest */
  publish(version: string, changes?: object): Promise<PublishedBuilds>;
}

/** @param name the first label of its host below example.ru, and the name of its only user */
export async function startSigningConsole(
  machine: string,
  name: string,
  certificate: { readonly cert: string; readonly key: string },
): Promise<SigningConsole> {
  await buildExtension(() => {});
  const folder = join(machine, `signed-${name}`);
  const calls: string[] = [];
  const access: Record<string, unknown> = {};
  const server = createServer(certificate, async ({ method, url = '', headers }, reply) => {
    const { pathname } = new URL(url, 'https://pass.example.ru');
    if (pathname.startsWith('/downloads/')) {
      await company.released;
      calls.push(`${method} ${pathname}`);
      return reply.end(readFileSync(join(folder, basename(pathname))));
    }
    if (!pathname.startsWith('/api/')) return reply.setHeader('content-type', 'text/html').end('<p>console');
    calls.push(`${headers.authorization?.slice(7) ?? 'nobody'} ${method} ${url}`);
    const body = replyTo(`${method} ${pathname}`);
    return reply
      .writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? { code: 'no_such_call', message: 'Нет' }));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const host = `${name}.example.ru`;

  function replyTo(call: string): object | null {
    if (call === 'POST /api/auth/login') return { token: `token-of-${name}` };
    if (call === 'GET /api/me') return { name, surname: '', email: `${name}@romashka.ru`, company: null };
    if (call !== 'GET /api/me/access') return null;
    return {
      version: 1,
      gateway: { scheme: 'https', host, port },
      username: 'u42',
      password: 'secret',
      expiresAt: '2130-01-01T00:00:00.000Z',
      allSites: false,
      sites: [`crm-${name}.example.ru`],
      bypass: [host],
      ...access,
    };
  }

  const company: SigningConsole = {
    origin: `https://${host}:${port}`,
    folder,
    calls,
    access,
    released: Promise.resolve(),
    publish(version, changes = {}) {
      const zips = { chromium: join(machine, 'chromium.zip'), firefox: join(machine, 'firefox.zip') };
      for (const target of ['chromium', 'firefox'] as const) {
        const files = unzipSync(readFileSync(built(target)));
        const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array()));
        const text = JSON.stringify({ ...manifest, version, ...changes });
        writeFileSync(zips[target], zipSync({ ...files, 'manifest.json': strToU8(text) }));
      }
      const consoleUrl = new URL(`https://${host}:${port}`);
      return signExtension({ consoleUrl, keyFile: join(machine, `${name}.pem`), zips, folder });
    },
  };
  return company;
}

const built = (target: string) =>
  fileURLToPath(new URL(`../../extension/dist/propusk-${target}.zip`, import.meta.url));
