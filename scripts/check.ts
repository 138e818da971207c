import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';

/** This step's output is printed even when it passes. */
const WEIGHT = 'weight of the console';

type Step = [name: string, program: string, args: string[]];

/**
 * `npm run check`: every check without a database or a browser, in about a minute.
 * `npm run check -- SLICE` checks one folder: a path, or the name of a folder below apps or packages.
 */
const everything: Step[] = [
  ['types', 'tsc', ['-p', '.']],
  ['types of the console', 'tsc', ['-p', 'apps/web']],
  ['types of the extension', 'tsc', ['-p', 'apps/extension']],
  ['lint and boundaries', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['format', 'biome', ['ci', '.']],
  ['unused code', 'knip', ['--no-progress']],
  [
    'lock file',
    'lockfile-lint',
    [
      ...['--path', 'package-lock.json', '--type', 'npm', '--allowed-hosts', 'npm'],
      ...['--validate-https', '--validate-integrity', '--validate-package-names'],
    ],
  ],
  ['supply chain', process.execPath, ['scripts/supply-check.ts']],
  ['inventory of what grows', process.execPath, ['scripts/inventory.ts', 'check']],
  ['unit tests', 'vitest', ['run', '--project', 'unit']],
  [WEIGHT, process.execPath, ['scripts/weight.ts']],
];

/** Type checks the whole project; lints, formats and tests one folder. */
function checksOf(slice: string): Step[] {
  const [folder] = globSync([
    slice,
    `{apps,packages}/${slice}`,
    `{apps,packages}/*/src/**/${slice}`,
  ]).toSorted();
  if (folder === undefined) {
    say(`No folder ${slice}`);
    process.exit(1);
  }
  const app = /^apps\/(web|extension)(\/|$)/.exec(folder)?.[1];
  const sources = globSync(`${folder}/**/*.{ts,tsx}`, { exclude: (path) => path.endsWith('node_modules') });
  const project = app === undefined ? '.' : `apps/${app}`;
  return [
    ['types', 'tsc', ['-p', project]],
    ['lint', 'oxlint', ['--type-aware', '--deny-warnings', folder]],
    ['format', 'biome', ['ci', folder]],
    ['unit tests', 'vitest', ['related', '--run', '--project', 'unit', '--passWithNoTests', ...sources]],
  ];
}

const say = (line: string) => process.stdout.write(`${line}\n`);
let failed = 0;

async function run([name, program, args]: Step): Promise<void> {
  const started = performance.now();
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    execFile(program, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, output: stdout + stderr }),
    );
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (code !== 0) failed++;
  if (code !== 0 || name === WEIGHT) say(output.trim().replace(/^/gm, '       '));
}

const slice = process.argv[2];
// Two at a time: a step uses several cores for a part of its run only.
const queue = slice === undefined ? everything : checksOf(slice);
const worker = async () => {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) await run(step);
};
await Promise.all([worker(), worker()]);
process.exit(failed === 0 ? 0 : 1);
