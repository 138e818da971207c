import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from '@propusk/supervisor/build-console';

/**
 * Checks the transfer budgets of the console's screens for an empty browser cache: gzipped kilobytes of scripts and style
 * sheets, read from the build. e2e/console/first-load.spec.ts measures the same budgets in a real browser.
 */
const web = fileURLToPath(new URL('../apps/web/', import.meta.url));
const say = (line: string) => process.stdout.write(`${line}\n`);

/** The used part of Vite's manifest: a module's files and its imports. */
type Manifest = Record<
  string,
  { file: string; css?: string[]; imports?: string[]; dynamicImports?: string[] } | undefined
>;

await buildConsole(say);
const manifest: Manifest = JSON.parse(await readFile(join(web, 'dist/.vite/manifest.json'), 'utf8'));
const html = await readFile(join(web, 'dist/index.html'), 'utf8');
const named = html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g);
const always = new Set([...named].map(([, file]) => file ?? ''));

/** The files of every page and of some modules. A module without an entry in the manifest belongs to the files of every page. */
function files(...modules: string[]): Set<string> {
  const found = new Set(always);
  const add = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined || found.has(chunk.file)) return;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
    chunk.imports?.forEach(add);
  };
  for (const module of modules) {
    if (!existsSync(join(web, module)))
      throw new Error(`${module} does not exist: replace its name in scripts/weight.ts`);
    add(module);
  }
  return found;
}

/** Sums the sizes of the gzipped files of the build, in kilobytes. */
async function weigh(all: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...all].map((file) => stat(join(web, 'dist', `${file}.gz`))));
  return sizes.reduce((sum, { size }) => sum + size, 0) / 1000;
}

const login = ['src/shell/auth-shell.tsx', 'src/features/auth/login-page.tsx'];
const first = [...login, 'src/shell/dashboard-shell.tsx', 'src/features/sites/page.tsx'];
const onboarding = 'src/shell/onboarding/onboarding-dialog.tsx';
const dashboard = files(...first);
const later = await Promise.all(
  Object.keys(manifest)
    .filter((module) => /pages?\.tsx$/.test(module))
    .map(async (page) => ({
      page,
      more: await weigh([...files(page)].filter((file) => !dashboard.has(file))),
    })),
);
const heaviest = later.reduce((one, other) => (other.more > one.more ? other : one));

const budgets: [screen: string, weight: number, limit: number][] = [
  ['/auth/login', await weigh(files(...login)), 150],
  ['login and the first screen of the dashboard', await weigh(dashboard), 220],
  ['the same with the onboarding', await weigh(files(...first, onboarding)), 220],
  [`more for the heaviest later screen (${heaviest.page})`, heaviest.more, 30],
];
for (const [screen, weight, limit] of budgets) {
  say(`${weight > limit ? 'TOO HEAVY' : 'ok'}: ${weight.toFixed(1)} of ${limit} KB, ${screen}`);
}
process.exit(budgets.every(([, weight, limit]) => weight <= limit) ? 0 : 1);
