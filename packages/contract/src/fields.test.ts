import { expect, test } from 'vitest';
import { GivenDate, text } from './fields.ts';
import { ShownText, visible } from './shown-text.ts';

const line = text(0);

test.each(['Анна', 'Œuvre №5 — «Ромашка» 😀', 'עברית', 'a\u200db'])(
  'the schema of a one-line text accepts %j',
  (given) => {
    expect(line.safeParse(given).data).toBe(given);
  },
);

test.each([0, 9, 10, 0x1b, 0x7f, 0x80, 0x9b, 0x9f, 0x202a, 0x202e, 0x2066, 0x2069, 0xd800])(
  'a line of text refuses the character %i, and replies escape a stored one unless it is a tab or a line end',
  (code) => {
    const given = `a${String.fromCharCode(code)}b`;
    expect(line.safeParse(given).success).toBe(false);
    if (code === 0xd800) return;
    const shown = [9, 10].includes(code) ? given : `a\\u${code.toString(16).padStart(4, '0')}b`;
    expect(ShownText.safeParse(given).data).toBe(shown);
    expect(visible(shown)).toBe(shown);
  },
);

test.each([
  ['', true],
  ['.000', true],
  ['.123456789', true],
  ['.1234567890', false],
  [`.${'0'.repeat(200)}`, false],
])('a time with the fraction %j is accepted: %s', (fraction, accepted) => {
  expect(GivenDate.safeParse(`2026-03-14T00:00:00${fraction}Z`).success).toBe(accepted);
});
