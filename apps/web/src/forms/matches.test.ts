import { describe, expect, it } from 'vitest';
import { matches } from './matches.ts';

describe('the search of a select', () => {
  it.each([
    ['Ёлкина Юлия', 'елк', true],
    ['Все сотрудники', ' СОТР ', true],
    ['Пётр Орлов · petr@example.ru', 'Орлов петр', true],
    ['Бухгалтерия', '', true],
    ['Бухгалтерия', 'продажи', false],
  ])('whether the label "%s" matches the typed text "%s": %s', (label, typed, expected) => {
    expect(matches(label, typed)).toBe(expected);
  });
});
