import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Prints the lines of the files that git tracks, by kind. A file has the first kind that fits:
 *
 *   tests     `*.test.ts`, `*.spec.ts` and `.tsx`, and every file below a folder `test`
 *   support   other .ts, .tsx and .mjs in packages/test-kit, e2e, bench and scripts
 *   product   other .ts and .tsx in apps and packages
 *   css       .css
 *   docs      .md
 *
 *   npm run lines                               the work tree
 *   npm run lines -- COMMIT                     each kind now, and its change since the commit
 *   npm run lines -- COMMIT --in FOLDER       only files of the folder; may be repeated
 */
const kinds: readonly (readonly [kind: string, path: RegExp])[] = [
  ['tests', /(\.(test|spec)\.tsx?$)|\/test\/.*\.tsx?$/],
  ['support', /^(packages\/test-kit|e2e|bench|scripts)\/.*\.(tsx?|mjs)$/],
  ['product', /^(apps|packages)\/.*\.tsx?$/],
  ['css', /\.css$/],
  ['docs', /\.md$/],
];

type Lines = Map<string, number>;

const git = (...args: string[]) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });

function count(paths: readonly string[], read: (path: string) => string): Lines {
  const lines: Lines = new Map(kinds.map(([kind]) => [kind, 0]));
  for (const path of paths) {
    const kind = kinds.find(([, fits]) => fits.test(path))?.[0];
    if (kind === undefined) continue;
    lines.set(kind, (lines.get(kind) ?? 0) + read(path).split('\n').length - 1);
  }
  return lines;
}

const { values, positionals } = parseArgs({
  options: { in: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const [commit] = positionals;
const folders = values.in.map((folder) => `${folder.replace(/\/$/, '')}/`);
const paths = (text: string) =>
  text
    .split('\n')
    .filter((path) => path !== '' && (folders.length === 0 || folders.some((each) => path.startsWith(each))));
const now = count(paths(git('ls-files')), (path) => readFileSync(path, 'utf8'));
const before =
  commit === undefined
    ? undefined
    : count(paths(git('ls-tree', '-r', '--name-only', commit)), (path) => git('show', `${commit}:${path}`));
for (const [kind, lines] of now) {
  const change = before === undefined ? 0 : lines - (before.get(kind) ?? 0);
  const since = before === undefined ? '' : `  ${change >= 0 ? '+' : '−'}${Math.abs(change)}`;
  process.stdout.write(`${kind.padEnd(8)} ${String(lines).padStart(7)}${since}\n`);
}
