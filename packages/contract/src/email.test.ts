import { describe, expect, test } from 'vitest';
import { Email, storedEmail } from './fields.ts';
import { shownEmails } from './shown-email.ts';

const read = (typed: string) => Email.safeParse(typed).data ?? null;

describe('Email checks a mail address and converts its domain to Punycode', () => {
  test.each([
    ['anna@почта.рф', 'anna@xn--80a1acny.xn--p1ai'],
    ['anna@ПОЧТА.РФ', 'anna@xn--80a1acny.xn--p1ai'],
    ['anna@xn--80a1acny.xn--p1ai', 'anna@xn--80a1acny.xn--p1ai'],
    [' anna@компания.com ', 'anna@xn--80aqeigdi5k.com'],
    ['Anna@Example.RU', 'Anna@Example.RU'],
    ['анна@почта.рф', null],
    ['anna@почта', null],
    ['anna@почта.рф/x', null],
    ['anna@почта.рф:80', null],
    ['anna@b@почта.рф', null],
    ['anna@example.xn--', null],
    ['anna@１２７.0.0.1', null],
    [`anna@${'я'.repeat(260)}.рф`, null],
  ])('the mail address %j is stored as %j', (typed, stored) => expect(read(typed)).toBe(stored));

  test.each(['a@', 'a@я.', '@'])(
    'a mail address of %j and a million letters is refused within a second',
    (start) => {
      const long = `${start}${'я'.repeat(1_048_576)}!`;
      const begun = performance.now();
      expect([storedEmail(long) === long, read(long)]).toEqual([true, null]);
      expect(performance.now() - begun).toBeLessThan(1_000);
    },
  );

  test('shownEmails decodes the domains of the mail addresses in a text', () => {
    expect(shownEmails('anna@xn--80a1acny.xn--p1ai')).toBe('anna@почта.рф');
    expect(shownEmails('Пишите на xn--a@xn--80a1acny.xn--p1ai, b@c.ru.')).toBe(
      'Пишите на xn--a@почта.рф, b@c.ru.',
    );
    expect(shownEmails('https://xn--80a1acny.xn--p1ai/')).toBe('https://xn--80a1acny.xn--p1ai/');
  });
});
