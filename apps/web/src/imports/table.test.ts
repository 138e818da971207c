import * as t from '@propusk/phrases/console';
import { expect, test } from 'vitest';
import { arrange, type Field } from './table.ts';

const fields: readonly Field[] = [
  { key: 'email', label: 'Почта', heading: /почт|mail/i, content: /@/ },
  { key: 'surname', label: 'Фамилия', heading: /фамили/i },
  { key: 'name', label: 'Имя', heading: /^имя/i },
];
const table = (...rows: string[][]) => rows.map((cells, at) => ({ line: at + 1, cells }));

test.each<[title: string, rows: string[][], mapping: string[], headed: boolean]>([
  [
    'usual headings',
    [
      ['Имя', 'E-mail', 'Фамилия'],
      ['Анна', 'a@a.test', 'Петрова'],
    ],
    ['name', 'email', 'surname'],
    true,
  ],
  [
    'no headings',
    [
      ['Анна', 'a@a.test'],
      ['Борис', 'b@a.test'],
    ],
    ['', 'email'],
    false,
  ],
  [
    'an unknown heading of the addresses',
    [
      ['Имя', 'Логин'],
      ['Анна', 'a@a.test'],
      ['Борис', 'b@a.test'],
    ],
    ['name', 'email'],
    true,
  ],
  [
    'a heading twice',
    [
      ['Почта', 'Почта 2'],
      ['a@a.test', 'b@a.test'],
    ],
    ['email', ''],
    true,
  ],
  [
    'no addresses',
    [
      ['Анна', 'Петрова'],
      ['Борис', ''],
    ],
    ['', ''],
    false,
  ],
])('the fields of columns are guessed for a table with %s', (_, rows, mapping, headed) => {
  const arranged = arrange(table(...rows), fields);
  expect(arranged.mapping).toEqual(mapping);
  expect(arranged.rows.map(({ cells }) => cells)).toEqual(headed ? rows.slice(1) : rows);
});

test('a table without rows, or with more rows than an import may have, is refused', () => {
  expect(() => arrange(table(['Почта', 'Имя']), fields)).toThrow(t.imports.faults.empty);
  const many = Array.from({ length: 1_001 }, () => ['a@a.test']);
  expect(() => arrange(table(...many), fields)).toThrow(t.imports.faults.tooManyRows);
  expect(arrange(table(['Почта'], ...many.slice(1)), fields).rows).toHaveLength(1_000);
});
