import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** The results of a test runner. */
export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  /** Each failed test or file: its location and the first lines of its message. */
  failures: string[];
  /** The same for tests that failed once and passed on retry; these count as passed. */
  flaky: string[];
  /** The seconds that each file's tests took. */
  files: (readonly [file: string, seconds: number])[];
}

/** The number of lines shown of the beginning of a message, and of its end, which has the compared values. */
const LINES = 12;

function failure(where: string, message: string): string {
  const all = stripVTControlCharacters(message).split('\n');
  const lines = all.length <= 2 * LINES ? all : [...all.slice(0, LINES), '…', ...all.slice(-LINES)];
  return [where, ...lines.map((line) => `    ${line}`)].join('\n');
}

interface VitestFile {
  name: string;
  status: string;
  message: string;
  startTime: number;
  endTime: number;
  assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
}

function vitestFailures(file: VitestFile): string[] {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  // A file that did not load, or whose hook failed, has failed without a failed test.
  if (failed.length === 0) return file.status === 'failed' ? [failure(file.name, file.message)] : [];
  return failed.map((test) =>
    failure(`${file.name} › ${test.fullName}`, test.failureMessages?.join('\n') ?? ''),
  );
}

/** Reads the reports of Vitest's `json` reporter and of `flaky-reporter.ts`. @throws Error when a file is missing */
export async function readVitest(path: string, flakyPath: string): Promise<Report> {
  const report = JSON.parse(await readFile(path, 'utf8'));
  const flaky: [name: string, message: string][] = JSON.parse(await readFile(flakyPath, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: (report.testResults as VitestFile[]).flatMap(vitestFailures),
    flaky: flaky.map(([name, message]) => failure(name, message)),
    files: (report.testResults as VitestFile[]).map(({ name, startTime, endTime }) => [
      relative('', name),
      (endTime - startTime) / 1000,
    ]),
  };
}

interface PlaywrightSuite {
  title: string;
  suites?: PlaywrightSuite[];
  specs?: {
    title: string;
    file: string;
    line: number;
    tests: { status: string; results: { duration: number; error?: { message?: string } }[] }[];
  }[];
}

/** The tests of a suite with a status: 'unexpected' failed every attempt, 'flaky' passed on retry. */
function playwrightTests(suite: PlaywrightSuite, status: 'unexpected' | 'flaky'): string[] {
  const own = (suite.specs ?? [])
    .filter((spec) => spec.tests.some((test) => test.status === status))
    .map((spec) => {
      const messages = spec.tests.flatMap((test) => test.results.map(({ error }) => error?.message ?? ''));
      return failure(`${spec.file}:${spec.line} › ${spec.title}`, messages.filter(Boolean).join('\n'));
    });
  return [...own, ...(suite.suites ?? []).flatMap((inner) => playwrightTests(inner, status))];
}

const secondsOf = (suite: PlaywrightSuite): number => {
  const results = (suite.specs ?? []).flatMap(({ tests }) => tests.flatMap((test) => test.results));
  const own = results.reduce((sum, { duration }) => sum + duration / 1000, 0);
  return (suite.suites ?? []).reduce((sum, inner) => sum + secondsOf(inner), own);
};

/** Reads the report of Playwright's `json` reporter. @throws Error when the file is missing */
export async function readPlaywright(path: string): Promise<Report> {
  const { stats, suites, errors } = JSON.parse(await readFile(path, 'utf8'));
  const all = suites as PlaywrightSuite[];
  const outside = (errors as { message?: string }[]).map((error) =>
    failure('playwright', error.message ?? ''),
  );
  return {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    skipped: stats.skipped,
    failures: [...all.flatMap((suite) => playwrightTests(suite, 'unexpected')), ...outside],
    flaky: all.flatMap((suite) => playwrightTests(suite, 'flaky')),
    files: all.map((suite) => [`e2e/${suite.title}`, secondsOf(suite)]),
  };
}
