import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { asList } from './list.ts';

test('asList returns a reply with rows and a count unchanged', () => {
  const list = { rows: [{ id: 1 }], count: 11 };
  expect(asList(list, new Headers())).toBe(list);
});

test('asList reads the total count of an array from the header X-Total-Count', () => {
  expect(asList([{ id: 1 }], new Headers({ 'X-Total-Count': '11' }))).toEqual({
    rows: [{ id: 1 }],
    count: 11,
  });
});

test('asList throws for an array without the header X-Total-Count', () => {
  expect(() => asList([{ id: 1 }], new Headers())).toThrow(ApiError);
});
