import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, id]) => id as string);
const sentences = matches(readFileSync('docs/specification/sentences.md', 'utf8'), /^- (\d+\.\d+) /gm);
const tags = globSync('e2e/*/*.spec.ts').flatMap((file) =>
  matches(readFileSync(file, 'utf8'), /'@(\d+\.\d+)'/g),
);

test('every sentence of the specification has one number', () => {
  expect(sentences.length).toBeGreaterThan(100);
  expect(new Set(sentences).size).toBe(sentences.length);
});
test('every sentence of the specification has a browser test', () => {
  expect(sentences.filter((id) => !tags.includes(id))).toEqual([]);
});
test('every tag of a browser test names a sentence of the specification', () => {
  expect(tags.filter((id) => !sentences.includes(id))).toEqual([]);
});
