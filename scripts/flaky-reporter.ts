import { writeFile } from 'node:fs/promises';
import type { Reporter, TestCase } from 'vitest/node';

/**
 * A Vitest reporter for retried tests, which the `json` reporter does not mark. It writes every test that failed once and passed
 * on its retry, as a JSON array of `[file › title, message of the failure]`, into the file that FLAKY_REPORT names.
 */
// oxlint-disable-next-line import/no-default-export -- Vitest loads the default export of a reporter's file
export default class FlakyReporter implements Reporter {
  readonly #flaky: [name: string, message: string][] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return;
    const messages = (test.result().errors ?? []).map(({ stack, message }) => stack ?? message);
    this.#flaky.push([`${test.module.moduleId} › ${test.fullName}`, messages.join('\n')]);
  }

  async onTestRunEnd(): Promise<void> {
    if (process.env.FLAKY_REPORT !== undefined)
      await writeFile(process.env.FLAKY_REPORT, JSON.stringify(this.#flaky));
  }
}
