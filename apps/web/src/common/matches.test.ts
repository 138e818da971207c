import { describe, expect, it } from 'vitest';
import { matches } from './matches.ts';

describe('matches', () => {
  it.each([
    ['Ёлкина Юлия', 'елк', true],
    ['Все сотрудники', ' СОТР ', true],
    ['Бухгалтерия', '', true],
    ['Бухгалтерия', 'продажи', false],
  ])('the label "%s" matches "%s": %s', (label, typed, expected) => {
    expect(matches(label, typed)).toBe(expected);
  });
});
