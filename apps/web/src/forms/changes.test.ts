import { expect, it } from 'vitest';
import { changes } from './changes.ts';

interface Body {
  name: string;
  surname: string;
  politics: number[];
  password: string | undefined;
}
const initial: Body = { name: 'Пётр', surname: '', politics: [1, 2], password: undefined };

it('the body of an edit leaves out unchanged fields', () => {
  expect(changes<Body>(initial, { ...initial, politics: [1, 2] })).toEqual({});
});

it('the body of an edit includes changed fields, emptied fields and emptied lists', () => {
  expect(changes<Body>(initial, { ...initial, name: '', politics: [], password: 'correct horse' })).toEqual({
    name: '',
    politics: [],
    password: 'correct horse',
  });
});
