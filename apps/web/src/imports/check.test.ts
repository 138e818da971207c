import { expect, test } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { readLines, settle, type Value } from './check.ts';

const fields = [{ key: 'email', label: 'Почта', heading: /почт/i, content: /@/ }] as const;
const policies = [
  { id: 1, name: 'Продажи' },
  { id: 2, name: 'Склад, ночь' },
];
const lines = (...emails: string[]) =>
  readLines(
    {
      headings: [''],
      mapping: ['email'],
      rows: emails.map((email, at) => ({ line: at + 2, cells: [email] })),
    },
    fields,
    policies,
    (email) => email,
  );
const refusal = (faults: Record<string, string>) => new ApiError('email_taken', 'taken', 409, faults);
const limited = new ApiError('too_many_requests', 'Попробуйте позже', 429);

test('a repeated row is not sent, and its fault names the first one; empty cells are not repeated', () => {
  expect(lines('a@a', 'A@A', '', '').map(({ fault }) => fault?.text)).toEqual([
    undefined,
    'Повтор: это уже есть в строке 2',
    undefined,
    undefined,
  ]);
});

test('a cell names policies in any case of letters, and its fault is the first unknown name', () => {
  const [known, unknown] = readLines(
    {
      headings: ['', ''],
      mapping: ['email', 'politics'],
      rows: [
        { line: 1, cells: ['a@a', 'продажи; Склад, ночь'] },
        { line: 2, cells: ['b@b', 'Продажи, Закупки'] },
      ],
    },
    fields,
    policies,
    (email) => email,
  );
  expect(known).toMatchObject({ value: { email: 'a@a', politics: [1, 2] } });
  expect(known?.fault).toBeUndefined();
  expect(unknown?.fault?.text).toContain('Политики «Закупки» нет');
});

test('rows that the server refuses are left out until it accepts the others', async () => {
  const sent: Value<'email'>[][] = [];
  const replies = [refusal({ 'people.1.email': 'taken' }), refusal({ '0.email': 'bad' }), null];
  const report = await settle(lines('a', 'b', 'c', 'b'), async (values) => {
    const reply = replies[sent.push(values) - 1];
    if (reply) throw reply;
    return 'ready';
  });
  expect(sent.map((values) => values.map(({ email }) => email))).toEqual([
    ['a', 'b', 'c'],
    ['a', 'c'],
    ['c'],
  ]);
  expect(report.ready).toBe('ready');
  expect(report.bad.map(({ line, fault }) => [line, fault?.text])).toEqual([
    [2, 'bad'],
    [3, 'taken'],
    [5, 'Повтор: это уже есть в строке 3'],
  ]);
});

test('when a later check is refused, the faults found so far stay, but the rows without faults cannot be imported', async () => {
  const replies: Error[] = [refusal({ 'people.0.email': 'taken' }), limited];
  const report = await settle(lines('a', 'b'), async () => {
    throw replies.shift() ?? limited;
  });
  expect(report).toMatchObject({ ready: null, failure: 'Попробуйте позже' });
  expect([report.good.length, report.bad.length]).toEqual([1, 1]);
});

test('a first check that fails as a whole is an error', async () => {
  await expect(
    settle(lines('a'), async () => {
      throw limited;
    }),
  ).rejects.toBe(limited);
});
