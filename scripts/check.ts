import { execFile } from 'node:child_process';

/** The one step that has something to tell when it is well, too. */
const WEIGHT = 'weight of the console';

/** `npm run check`: everything that can be told without a database or a browser, at most a minute. */
const steps: [name: string, program: string, args: string[]][] = [
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

const say = (line: string) => process.stdout.write(`${line}\n`);
let failed = 0;

async function run([name, program, args]: (typeof steps)[number]): Promise<void> {
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

// Two at a time: each of them uses more than one core for a part of its run.
const queue = [...steps];
const worker = async () => {
  for (let step = queue.shift(); step !== undefined; step = queue.shift()) await run(step);
};
await Promise.all([worker(), worker()]);
process.exit(failed === 0 ? 0 : 1);
