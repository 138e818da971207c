import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as t from '@propusk/phrases/extension';
import { zipSync } from 'fflate';
import { build } from 'vite';
import { manifestFor, type Target } from './manifest.ts';

/** Builds the extension: `dist/<browser>/` to load unpacked, and `dist/propusk-<browser>.zip` to hand out. */

const root = fileURLToPath(new URL('.', import.meta.url));

async function buildFor(target: Target): Promise<void> {
  const outDir = join(root, 'dist', target);
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  await cp(join(root, 'public'), outDir, { recursive: true });
  await writeFile(join(outDir, 'manifest.json'), `${JSON.stringify(manifestFor(target), null, 2)}\n`);
  for (const [name, title] of Object.entries(t.pageTitles)) {
    await writeFile(join(outDir, `${name}.html`), pageHtml(name, title));
  }
  const page = (name: string) => join(root, `src/pages/${name}.ts`);
  await bundle(outDir, 'es', {
    worker: join(root, `src/${target}/worker.ts`),
    popup: page('popup'),
    pair: page('pair'),
    refused: page('refused'),
  });
  // A content script cannot import modules.
  await bundle(outDir, 'iife', { 'pair-page': join(root, 'src/content/pair-page.ts') });
  await writeFile(join(root, `dist/propusk-${target}.zip`), zipSync(await filesOf(outDir), { level: 9 }));
}

const pageHtml = (name: string, title: string) => `<!doctype html>
<html lang="ru" class="${name}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="icons/32.png">
<link rel="stylesheet" href="pages.css">
<script type="module" src="${name}.js"></script>
</head>
<body>
<header><img src="icons/32.png" width="24" height="24" alt="">${t.name}</header>
<main aria-live="polite"><p class="dim">${t.loading}</p></main>
</body>
</html>
`;

async function bundle(outDir: string, format: 'es' | 'iife', input: Record<string, string>): Promise<void> {
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2024',
      modulePreload: false,
      rollupOptions: {
        input,
        output: {
          format,
          entryFileNames: '[name].js',
          chunkFileNames: 'shared-[hash].js',
        },
      },
    },
  });
}

/** A reproducible archive: sorted names, fixed time. */
async function filesOf(folder: string): Promise<Record<string, [Uint8Array, { mtime: Date }]>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
  const mtime = new Date(1980, 0, 1);
  const files: Record<string, [Uint8Array, { mtime: Date }]> = {};
  for (const name of names) files[name] = [await readFile(join(folder, name)), { mtime }];
  return files;
}

for (const target of ['chromium', 'firefox'] as const) await buildFor(target);
