import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';

/** The counts of a test runner. */
export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  /** Where each failed test or file is, and the first lines of its message. */
  failures: string[];
  /** The same of each test that failed once and passed its retry; these count as passed. */
  flaky: string[];
}

/** Lines of a message that are shown: enough to tell a timeout from a wrong value. The runner printed the whole. */
const LINES = 12;

function failure(where: string, message: string): string {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, LINES);
  return [where, ...lines.map((line) => `    ${line}`)].join('\n');
}

interface VitestFile {
  name: string;
  status: string;
  message: string;
  assertionResults: { status: string; fullName: string; failureMessages?: string[] }[];
}

function vitestFailures(file: VitestFile): string[] {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  // A file that could not be read, or whose hook failed, has no failed test and still is a failure.
  if (failed.length === 0) return file.status === 'failed' ? [failure(file.name, file.message)] : [];
  return failed.map((test) =>
    failure(`${file.name} › ${test.fullName}`, test.failureMessages?.join('\n') ?? ''),
  );
}

/** Reads the report of Vitest's `json` reporter. @throws Error when there is none */
export async function readVitest(path: string): Promise<Report> {
  const report = JSON.parse(await readFile(path, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: (report.testResults as VitestFile[]).flatMap(vitestFailures),
    flaky: [],
  };
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[];
  specs?: {
    title: string;
    file: string;
    line: number;
    tests: { status: string; results: { error?: { message?: string } }[] }[];
  }[];
}

/** The tests of a suite with one status: Playwright's 'unexpected' failed each try, 'flaky' failed the first one. */
function playwrightTests(suite: PlaywrightSuite, status: 'unexpected' | 'flaky'): string[] {
  const own = (suite.specs ?? [])
    .filter((spec) => spec.tests.some((test) => test.status === status))
    .map((spec) => {
      const messages = spec.tests.flatMap((test) => test.results.map(({ error }) => error?.message ?? ''));
      return failure(`${spec.file}:${spec.line} › ${spec.title}`, messages.filter(Boolean).join('\n'));
    });
  return [...own, ...(suite.suites ?? []).flatMap((inner) => playwrightTests(inner, status))];
}

/** Reads the report of Playwright's `json` reporter. @throws Error when there is none */
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
  };
}
