import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyCompress from '@fastify/compress';
import fastifyStatic from '@fastify/static';
import react from '@vitejs/plugin-react';
import fastify from 'fastify';
import { build } from 'vite';

const root = fileURLToPath(new URL('./pages/', import.meta.url));

export interface BarePages {
  readonly url: string;
  stop(): Promise<void>;
}

/** Builds the bare pages with Vite's defaults, and serves them compressed. */
export async function startBarePages(): Promise<BarePages> {
  const outDir = await mkdtemp(join(tmpdir(), 'propusk-bench-console-'));
  const input = ['login', 'sites'].map((name) => join(root, `${name}.html`));
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    build: { outDir, emptyOutDir: true, rolldownOptions: { input } },
  });
  const app = fastify();
  await app.register(fastifyCompress);
  await app.register(fastifyStatic, { root: outDir });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url,
    async stop() {
      await app.close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}
