import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';

/** What a runner counted, and each test or file that failed: where and the first lines of why. */
export interface Report {
  passed: number;
  failed: number;
  skipped: number;
  failures: string[];
}

/** Enough of a message to tell a time-out from a wrong value; the whole of it stands where the runner printed it. */
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

/** Reads the report of vitest's `json` reporter. Throws when there is none. */
export async function readVitest(path: string): Promise<Report> {
  const report = JSON.parse(await readFile(path, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: (report.testResults as VitestFile[]).flatMap(vitestFailures),
  };
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[];
  specs?: {
    ok: boolean;
    title: string;
    file: string;
    line: number;
    tests: { status: string; results: { error?: { message?: string } }[] }[];
  }[];
}

function playwrightFailures(suite: PlaywrightSuite): string[] {
  const failed = (suite.specs ?? []).filter(
    (spec) => !spec.ok || spec.tests.some((test) => ['unexpected', 'flaky'].includes(test.status)),
  );
  const own = failed.map((spec) => {
    const messages = spec.tests.flatMap((test) => test.results.map((result) => result.error?.message ?? ''));
    return failure(`${spec.file}:${spec.line} › ${spec.title}`, messages.filter(Boolean).join('\n'));
  });
  return [...own, ...(suite.suites ?? []).flatMap(playwrightFailures)];
}

/** Reads the report of Playwright's `json` reporter. Throws when there is none. */
export async function readPlaywright(path: string): Promise<Report> {
  const { stats, suites, errors } = JSON.parse(await readFile(path, 'utf8'));
  const outside = (errors as { message?: string }[]).map((error) =>
    failure('playwright', error.message ?? ''),
  );
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
    failures: [...(suites as PlaywrightSuite[]).flatMap(playwrightFailures), ...outside],
  };
}
