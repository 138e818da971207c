import { globSync, readFileSync } from 'node:fs';
import { type Threat, threats } from '@propusk/test-kit/threat-case';

/** Every test file of the apps, the packages and the browser tests. */
export const testFiles: readonly string[] = globSync(['{apps,packages}/**/*.test.ts', 'e2e/*/*.spec.ts'], {
  exclude: (path) => path.endsWith('node_modules'),
}).toSorted();

/**
 * Finds the test files of each threat: a test file that imports threat-case.ts belongs to every threat whose name it
 * passes as a string.
 */
export function filesByThreat(): Readonly<Record<Threat, readonly string[]>> {
  const cases = testFiles
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => text.includes("'@propusk/test-kit/threat-case'"));
  return Object.fromEntries(
    threats.map((threat) => [
      threat,
      cases.filter(({ text }) => text.includes(`'${threat}'`)).map(({ file }) => file),
    ]),
  ) as Record<Threat, string[]>;
}
