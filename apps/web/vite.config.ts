import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { limits } from '@propusk/contract/limits';
import { me } from '@propusk/contract/me';
import { listSites } from '@propusk/contract/sites';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { address } from './src/api/call.ts';

/** Writes a .br and a .gz file beside every text file. The api serves these files and compresses nothing itself. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  async writeBundle({ dir = '' }) {
    const names = await readdir(dir, { recursive: true });
    const texts = names.filter((name) => /\.(js|css|html|svg)$/.test(name));
    await Promise.all(
      texts.map(async (name) => {
        const path = join(dir, name);
        const text = await readFile(path);
        await writeFile(`${path}.br`, await promisify(brotliCompress)(text));
        await writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 }));
      }),
    );
  },
};

/** Makes the page preload its fonts, because text painted in a fallback font would shift when the font arrives. */
const fontsAtOnce: Plugin = {
  name: 'fonts-at-once',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => name.endsWith('.woff2'))
        .map((name) => ({
          tag: 'link',
          injectTo: 'head',
          attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${name}` },
        })),
  },
};

// The pages whose code and first rows `public/prefetch.js` requests: a path, the page's module, its calls. The script requests
// only the unfiltered first page of a list. It ignores failures, which the consumer of a reply handles.
const prefetched: { under: string; module: string; calls: string[] }[] = [
  { under: '/dashboard', module: 'src/shell/dashboard-shell.tsx', calls: [address(me.path)] },
  {
    under: '/dashboard/creator/domains',
    module: 'src/features/sites/page.tsx',
    calls: [address(listSites.path, {}, { page: 1, take: limits.page.take })],
  },
];

/**
 * Adds the script tag of `public/prefetch.js` with the files and calls of each dashboard page, so that a reload requests
 * them while the console's code is loading. The script is a file, because the Content-Security-Policy allows no inline
 * script, and is explained here, because the build keeps its comments. src/api/prefetched.ts hands the replies to the console.
 */
const prefetch: Plugin = {
  name: 'prefetch',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const withImports = (name: string): string[] => {
        const chunk = chunks.find(({ fileName }) => fileName === name);
        const styles = [...(chunk?.viteMetadata?.importedCss ?? [])];
        return [name, ...styles, ...(chunk?.imports ?? []).flatMap(withImports)];
      };
      const pages = prefetched.map(({ under, module, calls }) => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(module));
        if (chunk === undefined)
          throw new Error(`${module} is no page of its own: say here what took its place`);
        const files = [...new Set(withImports(chunk.fileName))].filter((file) => !html.includes(file));
        return { under, files, calls };
      });
      const attrs = { src: '/prefetch.js', 'data-pages': JSON.stringify(pages) };
      return [{ tag: 'script', injectTo: 'head', attrs }];
    },
  },
};

/** Drops Mantine's ScrollArea (15 KB gzip) from Modal and Drawer, which import it only to compare a prop with it. */
const withoutScrollArea: Plugin = {
  name: 'without-scroll-area',
  enforce: 'pre',
  apply: 'build',
  resolveId: (source, importer) =>
    source.endsWith('/ScrollArea.mjs') && /(Modal|Drawer)Root\.mjs$/.test(importer ?? '')
      ? '\0scroll-area'
      : null,
  load: (id) => (id === '\0scroll-area' ? 'export const ScrollArea = { Autosize: {} };' : null),
};

/** Replaces react-remove-scroll, which Mantine imports, with the smaller src/ui/remove-scroll.tsx. */
const ownScrollLock: Plugin = {
  name: 'own-scroll-lock',
  enforce: 'pre',
  apply: 'build',
  resolveId: (source) =>
    source === 'react-remove-scroll' ? join(import.meta.dirname, 'src/ui/remove-scroll.tsx') : null,
};

const ours = (...modules: string[]) => new RegExp(`[\\\\/]src[\\\\/](${modules.join('|')})\\.tsx?$`);

export default defineConfig({
  plugins: [react(), withoutScrollArea, ownScrollLock, fontsAtOnce, prefetch, compressed],
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: { '/api': { target: process.env.API_URL ?? 'http://127.0.0.1:3000' } },
  },
  build: {
    outDir: 'dist',
    sourcemap: false,
    // Browsers that support light-dark(). Vite cannot rewrite it for older ones, because Mantine's color-scheme is a variable.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // No inlined assets: the Content-Security-Policy allows data: URLs only for images.
    assetsInlineLimit: 0,
    // No polyfill: every browser that runs React 19 supports modulepreload.
    modulePreload: { polyfill: false },
    // scripts/weight.ts reads the manifest to measure the size of each page.
    manifest: true,
    rolldownOptions: {
      output: {
        // The entry file lists the names of all others. Names compress badly, so each is only a short hash.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[hash:7].js',
        assetFileNames: 'assets/[hash:7][extname]',
        // By default a page loads dozens of small files, which gzip compresses a tenth worse than large ones. These
        // groups merge shared modules with their imports. Each page and each dialog stays a separate file.
        codeSplitting: {
          groups: [
            { name: 'console', tags: ['$initial'], priority: 4 },
            { name: 'contract', test: ours('api/call', 'auth', 'forms/use-contract-form'), priority: 3 },
            {
              name: 'dashboard',
              test: (id) =>
                ours(
                  'lists/(add-button|day-columns|export-button|filters|list-page|use-remove|use-selection)',
                  'entities/site/filters',
                  'features/sites/(lock/verdicts|site-columns)',
                  'shell/(gate|header|navigation)',
                  'ui/(questions|tags|toasts)',
                  // The contract and the phrases of the list of sites, which owners see first.
                  '(ru/console/)?sites',
                  'protection',
                ).test(id) ||
                // Mantine's modal, popover and progress bar share these modules.
                /(create-safe-context|get-auto-contrast-value)\.mjs$/.test(id),
              priority: 2,
            },
            // Modules that both pages and forms use.
            {
              name: 'shared',
              test: (id) =>
                ours(
                  'forms/(matches|use-save)',
                  'entities/site/start-path',
                  'ui/use-return-focus',
                  '(ru/console/)?policies',
                  'proxies',
                  'users',
                ).test(id) || id.includes('/Skeleton/'),
              priority: 2,
            },
            {
              name: 'hooks',
              test: /(CheckIcon|use-(debounced-\w+|mounted|callback-ref))\.mjs$/,
              priority: 2,
            },
            // With this group, a dialog with a form loads two files: its own and this one.
            {
              name: 'forms',
              test: ours(
                'forms/(edit-dialog|select-fields|text-area-field|use-entity)',
                'entities/(use-inline-create|use-options)',
              ),
              priority: 1,
            },
            // The groups from here on only reduce the number of files, because the entry file lists the files of every page.
            { name: 'cards', test: ours('ui/(card|definition-card)'), priority: 2 },
            {
              name: 'icons',
              test: /Icon(UserPlus|Puzzle|MailForward|Download|PlugConnectedX?|Lock|CircleDashed)\.mjs$/,
              priority: 2,
            },
            {
              name: 'times',
              test: ours(
                'entities/policy/(moments|windows)',
                'entities/(user|policy)/filters',
                'entities/company/zone(s|d-days)',
                'lists/extending',
                'ru/(when|console/times)',
              ),
              priority: 2,
            },
            { name: 'plans', test: ours('entities/plan/(contact|request-list|usage)'), priority: 2 },
            { name: 'dialog', test: /components[\\/]Modal[\\/]/, priority: 2 },
            { name: 'popover', test: /components[\\/]Popover[\\/]/, priority: 2 },
          ],
        },
      },
    },
  },
});
