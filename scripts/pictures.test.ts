import { globSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';

/** `npm run tour -- docs` takes the pictures again. */
const folder = 'docs/pictures';
const shown: Record<string, string[]> = JSON.parse(readFileSync(`${folder}/shown.json`, 'utf8'));

test('every picture of the documents has its labels beside it, and together they stay below 2 MB', () => {
  const files = globSync(`${folder}/*.png`);
  expect(files.map((file) => file.slice(folder.length + 1, -4)).toSorted()).toEqual(
    Object.keys(shown).toSorted(),
  );
  expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(2_000_000);
});

test('every label in the pictures is still a text of the console, or data of the demo', () => {
  const texts = globSync([
    'packages/phrases/src/ru/**/*.ts',
    'scripts/demo-data.ts',
    'e2e/support/stubbed-replies.ts',
  ])
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
  const parts = Object.values(shown).flatMap((labels) => labels.flatMap((label) => label.split(': ')));
  expect([...new Set(parts)].filter((part) => !texts.includes(part))).toEqual([]);
});
