import { expect, test } from 'vitest';
import { depth } from './json.ts';

test.each([
  ['1', 0],
  ['{}', 1],
  ['[[],{"a":[1]}]', 3],
  ['{"a":"[[[["}', 1],
  ['{"a":"\\"[[[","b":[]}', 2],
  ['{"a":"\\\\","b":[[]]}', 3],
  ['['.repeat(100_000), 100_000],
])('the nesting depth of row %# counts brackets outside strings', (text, deep) => {
  expect(depth(text)).toBe(deep);
});
