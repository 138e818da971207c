import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { asList } from './list.ts';

test('a reply with rows and a count is read unchanged', () => {
  const list = { rows: [{ id: 1 }], count: 11 };
  expect(asList(list, new Headers())).toBe(list);
});

test('an array takes its total count from the header', () => {
  expect(asList([{ id: 1 }], new Headers({ 'X-Total-Count': '11' }))).toEqual({
    rows: [{ id: 1 }],
    count: 11,
  });
});

test('an array without the count header is refused', () => {
  expect(() => asList([{ id: 1 }], new Headers())).toThrow(ApiError);
});
