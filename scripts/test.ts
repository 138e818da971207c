import { execFileSync, spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { buildConsole } from '@propusk/supervisor/build-console';
import { buildExtension } from '@propusk/supervisor/build-extension';
import { type DebianPackage, installPackages, programs } from './debian.ts';
import { readPlaywright, readVitest } from './reports.ts';

/**
 * `npm test`: installs the programs that the tests need and runs the tests with sockets, the launcher, the api on two databases
 * and the product in a browser. Of repeated tests it runs the part of this commit (`turns.ts` of test-kit). The unit tests belong
 * to `npm run check`. `npm run everything` runs all tests. The output ends with the slowest files, the flaky and failed tests,
 * and the counts of both runners.
 */
const say = (line: string) => process.stdout.write(`${line}\n`);
const everything = Object.keys(programs) as DebianPackage[];
const reports = '.cache/reports';

function run(program: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  process.once('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) =>
    // A signal that ended this runner also cancels the next one.
    child.on('exit', (code, signal) => (signal === null ? resolve(code ?? 1) : process.exit(1))),
  );
}

/** Runs Vitest; its report files are named by the index. @returns the exit code */
function vitest(options: readonly string[], index: number): Promise<number> {
  const reporters = ['default', 'json', 'scripts/flaky-reporter.ts'].map((name) => `--reporter=${name}`);
  const output = `--outputFile.json=${reports}/vitest-${index}.json`;
  return run('vitest', ['run', ...options, ...reporters, output], {
    FLAKY_REPORT: `${reports}/flaky-${index}.json`,
  });
}

const all = process.argv[2] === 'everything';

/** @returns the number of commits, or 0 outside a clone */
function commits(): number {
  try {
    return Number(execFileSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' }));
  } catch {
    return 0;
  }
}

try {
  if (!all) process.env.TEST_PART = String(commits() % 4);
  await installPackages(everything, say);
  // Built before the tests: two test files that start the product at once would both build it.
  await buildConsole(say);
  await buildExtension(say);
  await rm(reports, { recursive: true, force: true });
  await mkdir(reports, { recursive: true });
  // Files that mostly wait run beside those that keep the processor busy. `npm run everything` also measures under load, alone.
  const runs = all ? [[]] : [['--project=!unit', '--project=!waiting'], ['--project=waiting']];
  const codes = [
    ...(await Promise.all(runs.map(vitest))),
    await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'], {
      PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${reports}/playwright.json`,
    }),
  ];
  const results = [
    ...(await Promise.all(
      runs.map((_, index) => readVitest(`${reports}/vitest-${index}.json`, `${reports}/flaky-${index}.json`)),
    )),
    await readPlaywright(`${reports}/playwright.json`),
  ];
  say(all ? '\nAll repeats' : `\nPart ${process.env.TEST_PART} of the repeats`);
  const files = results.flatMap((each) => each.files).toSorted(([, a], [, b]) => b - a);
  for (const [file, seconds] of files.slice(0, 20)) say(`${seconds.toFixed(1).padStart(6)} s ${file}`);
  const flaky = results.flatMap((each) => each.flaky);
  for (const test of flaky) say(`\nFLAKY, passed on its retry: ${test}`);
  for (const failure of results.flatMap((each) => each.failures)) say(`\nFAILED ${failure}`);
  const sum = (key: 'passed' | 'failed' | 'skipped') => results.reduce((total, each) => total + each[key], 0);
  say(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped, ${flaky.length} FLAKY`);
  process.exit(codes.every((code) => code === 0) ? 0 : 1);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
