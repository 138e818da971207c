import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Sentence, sections } from '../e2e/spec-sentences.ts';

/**
 * `node scripts/spec-coverage.ts` writes e2e/spec-coverage.md: each sentence of the specification that a browser can show,
 * and the browser tests that cover it. A test names its sentences by tags (`@2.12`), which `playwright test --list` reports.
 */
const run = promisify(execFile);
export const coverageFile = fileURLToPath(new URL('../e2e/spec-coverage.md', import.meta.url));

/** A test by file and title. It may run in several screen sizes. */
interface Shown {
  readonly file: string;
  readonly title: string;
  readonly ids: readonly string[];
}

interface Suite {
  readonly specs?: readonly { file: string; title: string; tags: readonly string[] }[];
  readonly suites?: readonly Suite[];
}

/** Lists every browser test that names a sentence. */
export async function taggedTests(): Promise<Shown[]> {
  const config = fileURLToPath(new URL('../e2e/playwright.config.ts', import.meta.url));
  const { stdout } = await run(
    'playwright',
    ['test', '--list', '--grep', '@\\d', '--reporter', 'json', '--config', config],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  const found = new Map<string, Shown>();
  const visit = ({ specs = [], suites = [] }: Suite) => {
    for (const { file, title, tags } of specs) {
      // Playwright also reads tags from titles: an email address in a title is not a sentence.
      const ids = tags.map((tag) => tag.replace(/^@/, '')).filter((tag) => /^\d+\.\d+$/.test(tag));
      if (ids.length > 0) found.set(`${file} ${title}`, { file, title, ids });
    }
    for (const suite of suites) visit(suite);
  };
  visit(JSON.parse(stdout) as Suite);
  return [...found.values()];
}

const cell = (text: string) => text.replaceAll('|', '\\|');

function rowOf({ id, says, otherwise }: Sentence, tests: readonly Shown[]): string {
  const shown = tests.filter(({ ids }) => ids.includes(id));
  const by = shown.map(({ file, title }) => `${file}: ${cell(title)}`).join('<br>');
  const sentence = otherwise === undefined ? says : `${says}. **Built otherwise:** ${otherwise}`;
  return `| ${id} | ${cell(sentence)} | ${by || '**no test**'} |`;
}

/** Renders the document. */
export function coverage(tests: readonly Shown[]): string {
  const parts = sections.map(({ title, sentences }) =>
    [
      `## ${title}`,
      '',
      '| | the specification says | shown by |',
      '|---|---|---|',
      ...sentences.map((sentence) => rowOf(sentence, tests)),
    ].join('\n'),
  );
  const head =
    '# What the specification says, and the tests that show it\n\nWritten by `node scripts/spec-coverage.ts` from the tags of the browser tests: edit those, not this.';
  return `${[head, ...parts].join('\n\n')}\n`;
}

if (import.meta.main) await writeFile(coverageFile, coverage(await taggedTests()));
