import { sayCheck } from '@propusk/phrases/checks';
import { describe, expect, test } from 'vitest';
import { namesOf, planRequests } from './plan.ts';

describe('the plan of a probe', () => {
  const named = (host: string, addresses: string[]) => ({ host, addresses, refused: null, optional: false });
  const plan = (
    names: ReturnType<typeof named>[],
    port: number | null = null,
    egress: string | null = '192.0.2.5',
  ) =>
    planRequests({
      names,
      port,
      proxies: [{ id: 3, name: 'proxy.ru' }],
      egress,
      random: 'abc',
      startPaths: [],
    });

  test('the plan requests each address by both schemes: plainly, with five spoofed headers and at five other paths; and the site through each proxy', () => {
    const steps = plan([named('a.ru', ['198.51.100.7', '2001:db8::7']), named('www.a.ru', ['198.51.100.7'])]);
    expect(steps.filter(({ vantage }) => vantage === 'outside')).toHaveLength(3 * 2 * 11);
    expect(new Set(steps.flatMap((step) => ('path' in step ? [step.path] : [])))).toEqual(
      new Set(['/', '/abc/abc', '/index.php', '/abc.php', '/abc.css', '/.well-known/acme-challenge/abc']),
    );
    expect(steps.filter(({ kind }) => kind === 'get').map(({ title }) => sayCheck(title))).toEqual([
      'Через proxy.ru: https://a.ru',
      'Через proxy.ru: http://a.ru',
    ]);
  });

  test('the titles of steps show a .рф site in Unicode', () => {
    const titles = plan([named('xn--e1afmkfd.xn--p1ai', ['198.51.100.7'])]).map(({ title }) =>
      sayCheck(title),
    );
    expect(titles.filter((title) => title.includes('xn--'))).toEqual([]);
    expect(titles).toContain('Снаружи, https://пример.рф (198.51.100.7)');
  });

  test('the plan of a probe requests at most eight addresses of a site', () => {
    const many = Array.from({ length: 20 }, (_, i) => `198.51.100.${i}`);
    const steps = plan([named('a.ru', many.slice(0, 5)), named('b.ru', many)]);
    const asked = new Set(
      steps.flatMap((step) => ('address' in step ? [`${step.host} ${step.address}`] : [])),
    );
    expect(asked.size).toBe(8);
  });

  test('the plan spoofs an IPv6 address in the form of RFC 7239 and spoofs nothing without an address', () => {
    const headers = plan([named('a.ru', ['198.51.100.7'])], null, '2001:db8::5').flatMap((step) =>
      'headers' in step ? Object.entries(step.headers) : [],
    );
    expect(headers).toContainEqual(['Forwarded', 'for="[2001:db8::5]"']);
    expect(headers).toContainEqual(['X-Real-IP', '2001:db8::5']);
    expect(plan([named('a.ru', ['198.51.100.7'])], null, null).some(({ kind }) => kind === 'spoofed')).toBe(
      false,
    );
  });

  test('the plan requests an explicit port by both schemes and no other port', () => {
    const ports = plan([named('a.ru', ['198.51.100.7'])], 8443).flatMap((step) =>
      'port' in step ? [step.port] : [],
    );
    expect(new Set(ports)).toEqual(new Set([8443]));
  });

  test.each([
    [{ host: 'a.ru', wildcard: false }, ['a.ru', 'www.a.ru']],
    [{ host: 'www.a.ru', wildcard: false }, ['www.a.ru']],
    [{ host: 'a.ru', wildcard: true }, ['a.ru', 'www.a.ru', 'abc.a.ru']],
  ])('the plan requests the site %j at the names %j', (site, expected) =>
    expect(namesOf(site, 'abc').map(({ host }) => host)).toEqual(expected),
  );

  test('the plan requests no address of a name that has an internal one', () => {
    const steps = plan([{ ...named('a.ru', ['198.51.100.7', '10.0.0.1']), refused: '10.0.0.1' } as never]);
    expect(steps.map(({ kind }) => kind)).toEqual(['address_refused']);
  });
});
