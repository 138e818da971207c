import { describe, expect, it } from 'vitest';
import { unicodeHost } from './unicode-host.ts';

const domainToASCII = (host: string) => new URL(`http://${host}`).host;

describe('unicodeHost', () => {
  it.each(['пример.рф', 'бухгалтерия.пример.рф', 'crm.example.ru', 'münchen.de', '日本語.jp', 'кафе-24.рф'])(
    'unicodeHost decodes the punycode of %s',
    (host) => {
      expect(unicodeHost(domainToASCII(host))).toBe(host);
    },
  );
  it('unicodeHost keeps a wildcard and a port', () => {
    expect(unicodeHost(`*.${domainToASCII('пример.рф')}:8443`)).toBe('*.пример.рф:8443');
  });
  it('unicodeHost keeps a label that does not decode', () => {
    expect(unicodeHost('xn--a.ru')).toBe('xn--a.ru');
    expect(unicodeHost('xn--99999999999.ru')).toBe('xn--99999999999.ru');
  });
});
