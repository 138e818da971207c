import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { sections } from '../e2e/spec-sentences.ts';
import { coverage, coverageFile, taggedTests } from './spec-coverage.ts';

const sentences = sections.flatMap((section) => section.sentences.map(({ id }) => id));
let tests: Awaited<ReturnType<typeof taggedTests>>;

beforeAll(async () => {
  tests = await taggedTests();
}, 60_000);

describe('the coverage of the specification', () => {
  it('gives every sentence an id of its own', () => {
    expect(new Set(sentences).size).toBe(sentences.length);
  });
  it('has a browser test for every sentence', () => {
    const shown = new Set(tests.flatMap(({ ids }) => ids));
    expect(sentences.filter((id) => !shown.has(id))).toEqual([]);
  });
  it('knows every sentence that a test names', () => {
    const strays = tests.flatMap(({ title, ids }) =>
      ids.filter((id) => !sentences.includes(id)).map((id) => `${title}: @${id}`),
    );
    expect(strays).toEqual([]);
  });
  it('is written down as it is: `node scripts/spec-coverage.ts` writes it anew', async () => {
    expect(await readFile(coverageFile, 'utf8')).toBe(coverage(tests));
  });
});
