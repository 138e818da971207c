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
])('the nesting depth of a JSON text counts brackets outside strings only (row %#)', (text, deep) => {
  expect(depth(text)).toBe(deep);
});
