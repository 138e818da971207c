import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { asList } from './list.ts';

test('a list stays what it is', () => {
  const list = { rows: [{ id: 1 }], count: 11 };
  expect(asList(list, new Headers())).toBe(list);
});

test('an array has the count of all that match beside it', () => {
  expect(asList([{ id: 1 }], new Headers({ 'X-Total-Count': '11' }))).toEqual({
    rows: [{ id: 1 }],
    count: 11,
  });
});

test('an array without its count is no list', () => {
  expect(() => asList([{ id: 1 }], new Headers())).toThrow(ApiError);
});
