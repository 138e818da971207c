import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { type DebianPackage, installPackages, programs } from './debian.ts';
import { buildConsole } from './web-build.ts';

/**
 * `npm test`: brings what the tests need and runs all of them: unit, gateway on sockets, launcher, api on two
 * databases, and the main job in a browser. Its last line counts what the runners themselves reported.
 */
const say = (line: string) => process.stdout.write(`${line}\n`);
const everything = Object.keys(programs) as DebianPackage[];
const reports = '.cache/reports';

function run(program: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

async function vitestCounts(): Promise<Counts> {
  const report = JSON.parse(await readFile(`${reports}/vitest.json`, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

async function playwrightCounts(): Promise<Counts> {
  const { stats } = JSON.parse(await readFile(`${reports}/playwright.json`, 'utf8'));
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky, skipped: stats.skipped };
}

try {
  await installPackages(everything, say);
  await buildConsole(say);
  await rm(reports, { recursive: true, force: true });
  await mkdir(reports, { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reports}/vitest.json`];
  const codes = [
    await run('vitest', ['run', ...reporters]),
    await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'], {
      PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${reports}/playwright.json`,
    }),
  ];
  const [unit, browser] = [await vitestCounts(), await playwrightCounts()];
  const sum = (key: keyof Counts) => unit[key] + browser[key];
  say(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  process.exit(codes.every((code) => code === 0) ? 0 : 1);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
