import { execFile } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';

/** This step's output is printed even when it passes. */
const WEIGHT = 'weight of the console';

type Step = [name: string, program: string, args: string[]];

/**
 * `npm run check`: every check without a database or a browser, in about a minute.
 * `npm run check -- SLICE` checks a path, or every folder of that name below apps and packages, with the tests that need a database.
 */
const everything: Step[] = [
  ['types', 'tsc', ['-p', '.']],
  ['types of the console', 'tsc', ['-p', 'apps/web']],
  ['types of the extension', 'tsc', ['-p', 'apps/extension']],
  ['lint and boundaries', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['format', 'biome', ['ci', '.']],
  ['unused code', 'knip', ['--no-progress']],
  ['supply chain', process.execPath, ['scripts/supply-chain.ts']],
  ['documentation of the contract', process.execPath, ['scripts/openapi/write.ts', 'check']],
  ['unit tests', 'vitest', ['run', '--project', 'unit']],
  [WEIGHT, process.execPath, ['scripts/weight.ts']],
];

/**
 * Type checks the whole project; lints, formats and tests every folder of the name; runs the rows of the permission matrix for
 * the calls of the contract's file of that name.
 */
async function checksOf(slice: string): Promise<Step[]> {
  const folders = globSync([slice, `{apps,packages}/${slice}`, `{apps,packages}/*/src/**/${slice}`])
    .filter((path) => statSync(path).isDirectory())
    .toSorted();
  if (folders.length === 0) {
    say(`No folder ${slice}`);
    process.exit(1);
  }
  const projects = new Set(
    folders.map((path) => /^apps\/(web|extension)(?=\/|$)/.exec(path)?.[0] ?? '.').toSorted(),
  );
  const real = ['unit', 'net', 'waiting', 'launcher', 'db'].map((name) => `--project=${name}`);
  const calls = await callsOf(slice);
  const rows = ['--project=db', 'apps/api/test/matrix/matrix.db.test.ts', '-t', calls.join('|')];
  return [
    ...[...projects].map((project): Step => [`types of ${project}`, 'tsc', ['-p', project]]),
    ['tests', 'vitest', ['run', ...real, '--passWithNoTests', ...folders.map((path) => `${path}/`)]],
    ...(calls.length === 0 ? [] : [['permission matrix', 'vitest', ['run', ...rows]] satisfies Step]),
    ['lint', 'oxlint', ['--type-aware', '--deny-warnings', ...folders]],
    ['format', 'biome', ['ci', ...folders]],
  ];
}

/** @returns the calls that a file of the contract declares, as patterns of the titles in the matrix: `GET /domain-allowed/:id,` */
async function callsOf(slice: string): Promise<string[]> {
  const file = new URL(`../packages/contract/src/${slice}.ts`, import.meta.url);
  if (!existsSync(file)) return [];
  const declared: unknown[] = Object.values(await import(file.href));
  return declared
    .filter((one): one is { method: string; path: string } => one instanceof Object && 'path' in one)
    .map(({ method, path }) => `${method} ${path},`);
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
const queue = slice === undefined ? everything : await checksOf(slice);
const worker = async () => {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) await run(step);
};
await Promise.all([worker(), worker()]);
process.exit(failed === 0 ? 0 : 1);
