import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalHost, parseAuthority } from './host.ts';

const same: [raw: string, canonical: string][] = [
  ['crm.example.ru', 'crm.example.ru'],
  ['CRM.Example.RU', 'crm.example.ru'],
  ['crm.example.ru.', 'crm.example.ru'],
  ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
  ['ПРИМЕР.РФ', 'xn--e1afmkfd.xn--p1ai'],
  ['xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd.xn--p1ai'],
  // The ideographic full stop is a dot to IDNA (UTS 46).
  ['crm。example。ru', 'crm.example.ru'],
  ['ｃｒｍ.example.ru', 'crm.example.ru'],
  ['my_app.example.ru', 'my_app.example.ru'],
];

const refused = [
  '',
  '.',
  'localhost',
  'crm',
  'crm.',
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '[::1]',
  '::1',
  '[::ffff:127.0.0.1]',
  'a..b',
  '.example.ru',
  'example.ru..',
  '-a.example.ru',
  'a-.example.ru',
  'example.1',
  'example.0x1',
  'ex ample.ru',
  'example.ru\u0000',
  'example.ru\n',
  'user@example.ru',
  'example.ru:80',
  'example.ru/path',
  'example.ru\\evil.ru',
  'example.ru#a',
  'example.ru?a',
  'ex%61mple.ru',
  'example%2eru',
  '*.example.ru',
  `${'a'.repeat(64)}.ru`,
  `${'a.'.repeat(127)}ru`,
  'a'.repeat(5000),
];

describe('canonicalHost', () => {
  test.each(same)('canonicalHost(%s) is %s', (raw, canonical) => expect(canonicalHost(raw)).toBe(canonical));
  test.each(refused)('canonicalHost(%j) is null', (raw) => expect(canonicalHost(raw)).toBeNull());

  test('canonicalHost gives the same result by its fast path and by the URL parser', () => {
    const names = fc.stringMatching(/^[abxn019.-]{0,14}$/);
    fc.assert(
      // A trailing dot forces the slow path through the URL parser, which removes the dot. Punycode names are
      // left out, because they never take the fast path.
      fc.property(names, (name) => {
        fc.pre(!name.endsWith('.') && !name.includes('xn--'));
        expect(canonicalHost(name)).toBe(canonicalHost(`${name}.`));
      }),
      { numRuns: 20_000, examples: [['a.0x1'], ['a.1'], ['a-.b'], ['a.-b'], ['a..b'], ['ab--a.b']] },
    );
  });

  test('canonicalHost leaves a canonical host unchanged', () => {
    const ascii = fc.stringMatching(/^[a-zA-Z0-9._*%@:/\\[\]-]{0,40}$/);
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'grapheme' }), ascii, fc.domain(), fc.ipV4(), fc.ipV6()),
        (raw) => {
          const once = canonicalHost(raw);
          if (once === null) return;
          expect(once).toMatch(/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/);
          expect(canonicalHost(once)).toBe(once);
          // The URL parser must not change a canonical name, so that `decide()` and the dialer use the same name.
          expect(new URL(`http://${once}/`).hostname).toBe(once);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('parseAuthority', () => {
  test('parseAuthority reads host and port', () => {
    expect(parseAuthority('CRM.example.ru:443')).toEqual({ host: 'crm.example.ru', port: 443 });
  });
  test.each([
    'crm.example.ru',
    'crm.example.ru:',
    'crm.example.ru:0',
    'crm.example.ru:65536',
    'crm.example.ru:44a',
    ':443',
    '127.0.0.1:443',
    '[::1]:443',
    'a.b:443:443',
  ])('parseAuthority rejects %s', (raw) => expect(parseAuthority(raw)).toBeNull());
});
