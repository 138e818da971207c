import { sayCheck } from '@propusk/phrases/checks';
import { describe, expect, test } from 'vitest';
import { namesOf, type OutsideStep, planRequests, planSamples } from './plan.ts';

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

  test('a probe requests each address of a site by http and https, and the site through each proxy', () => {
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

  test('the titles of probe steps show a .рф site in Unicode', () => {
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

  test('a forged Forwarded header contains an IPv6 egress address in the form of RFC 7239', () => {
    const headers = plan([named('a.ru', ['198.51.100.7'])], null, '2001:db8::5').flatMap((step) =>
      'headers' in step ? Object.entries(step.headers) : [],
    );
    expect(headers).toContainEqual(['Forwarded', 'for="[2001:db8::5]"']);
    expect(headers).toContainEqual(['X-Real-IP', '2001:db8::5']);
    expect(plan([named('a.ru', ['198.51.100.7'])], null, null).some(({ kind }) => kind === 'spoofed')).toBe(
      false,
    );
  });

  test('a probe requests only the explicit port of a site, by http and https', () => {
    const ports = plan([named('a.ru', ['198.51.100.7'])], 8443).flatMap((step) =>
      'port' in step ? [step.port] : [],
    );
    expect(new Set(ports)).toEqual(new Set([8443]));
  });

  test.each([
    [{ host: 'a.ru', wildcard: false }, ['a.ru', 'www.a.ru']],
    [{ host: 'www.a.ru', wildcard: false }, ['www.a.ru']],
    [{ host: 'a.ru', wildcard: true }, ['a.ru', 'www.a.ru', 'abc.a.ru']],
  ])('the plan for the site %j requests the names %j', (site, expected) =>
    expect(namesOf(site, 'abc').map(({ host }) => host)).toEqual(expected),
  );

  test('a probe requests no address of a host name if one of the addresses is internal', () => {
    const steps = plan([{ ...named('a.ru', ['198.51.100.7', '10.0.0.1']), refused: '10.0.0.1' } as never]);
    expect(steps.map(({ kind }) => kind)).toEqual(['address_refused']);
  });
});

describe('sample requests of a probe', () => {
  const place = (host: string, address: string, scheme: 'http' | 'https', redirects = false) => {
    const port = scheme === 'https' ? 443 : 80;
    const common = { vantage: 'outside', kind: 'plain', path: '/', headers: {}, from: null } as const;
    const title = { code: 'outside', params: { url: host, address } } as const;
    const step: OutsideStep = { ...common, host, address, scheme, port, title };
    return { step, redirects };
  };
  const samples = Array.from({ length: 46 }, (_, i) => ({ path: `/${i}.css`, kind: 'file' }) as const);
  const counts = (steps: readonly OutsideStep[]) =>
    Object.fromEntries(
      [...Map.groupBy(steps, ({ host, address, scheme }) => `${scheme} ${host} ${address}`)].map(
        ([key, own]) => [key, own.length],
      ),
    );

  test('only the first address of each address family gets all sample requests', () => {
    const places = [
      place('a.ru', '198.51.100.7', 'https'),
      place('a.ru', '198.51.100.8', 'https'),
      place('a.ru', '2001:db8::7', 'https'),
      place('www.a.ru', '198.51.100.7', 'https'),
    ];
    expect(counts(planSamples(places, ['/base/'], samples, 44).steps)).toEqual({
      'https a.ru 198.51.100.7': 47,
      'https a.ru 2001:db8::7': 47,
      'https a.ru 198.51.100.8': 4,
      'https www.a.ru 198.51.100.7': 4,
    });
  });

  test('when a host only redirects to another host, the other host gets all sample requests', () => {
    const places = [
      place('a.ru', '198.51.100.7', 'https', true),
      place('www.a.ru', '198.51.100.7', 'https'),
      place('www.a.ru', '198.51.100.7', 'http', true),
    ];
    expect(counts(planSamples(places, [], samples, 33).steps)).toEqual({
      'https www.a.ru 198.51.100.7': 46,
      'http www.a.ru 198.51.100.7': 8,
      'https a.ru 198.51.100.7': 4,
    });
  });

  test('the plan of a probe has at most 250 direct requests', () => {
    const places = ['198.51.100.7', '2001:db8::7'].flatMap((address) => [
      place('a.ru', address, 'https'),
      place('a.ru', address, 'http'),
    ]);
    const { steps, unfit } = planSamples(places, [], samples, 100);
    expect([steps.length, unfit]).toEqual([150, 34]);
  });
});
