import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { sections } from '../e2e/spec-sentences.ts';
import { coverage, coverageFile, taggedTests } from './spec-coverage.ts';

const sentences = sections.flatMap((section) => section.sentences.map(({ id }) => id));
let tests: Awaited<ReturnType<typeof taggedTests>>;

beforeAll(async () => {
  tests = await taggedTests();
}, 60_000);

describe('specification coverage', () => {
  it('every sentence of the specification has a unique id', () => {
    expect(new Set(sentences).size).toBe(sentences.length);
  });
  it('every sentence of the specification has a browser test', () => {
    const shown = new Set(tests.flatMap(({ ids }) => ids));
    expect(sentences.filter((id) => !shown.has(id))).toEqual([]);
  });
  it('every tag of a browser test names an existing sentence', () => {
    const strays = tests.flatMap(({ title, ids }) =>
      ids.filter((id) => !sentences.includes(id)).map((id) => `${title}: @${id}`),
    );
    expect(strays).toEqual([]);
  });
  it('e2e/spec-coverage.md is current: `node scripts/spec-coverage.ts` rewrites it', async () => {
    expect(await readFile(coverageFile, 'utf8')).toBe(coverage(tests));
  });
});
