import { runInNewContext } from 'node:vm';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { openThreatCase } from '@propusk/test-kit/threat-case';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { decide, reachable } from './decide.ts';
import { canonicalHost } from './host.ts';
import { pacScript } from './pac.ts';
import { createRoute, type Routed } from './pac-route.ts';
import { formatSiteAddress, parseSiteAddress } from './site-address.ts';
import { emptyIndex, putCompany } from './snapshot.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');

const gateway = { scheme: 'http', host: 'gate.propusk.test', port: 3128 } as const;
const plain: Routed = { gateway, allSites: false, sites: [], bypass: ['pass.propusk.test'] };
const WAY = 'PROXY gate.propusk.test:3128';

/** Runs the PAC as a browser does: for https URLs Chromium passes only scheme, host and port. */
function run(routed: Routed): (url: string) => string {
  const context: { FindProxyForURL?: (url: string, host: string) => string } = {};
  runInNewContext(`${pacScript(routed).data};this.FindProxyForURL = FindProxyForURL`, context);
  return (url) => {
    const { href, hostname, protocol, host } = new URL(url);
    return context.FindProxyForURL?.(protocol === 'https:' ? `https://${host}/` : href, hostname) ?? '';
  };
}

/** Builds the access index of a company with one user, whose policy contains all sites but the last. */
function indexed(addresses: readonly string[], allSites: boolean) {
  const index = emptyIndex();
  const snapshot: CompanySnapshot = {
    companyId: 1,
    version: 1,
    users: [{ id: 1, epoch: 1 }],
    sites: addresses.map((address, i) => ({ id: i + 1, address, claim: null })),
    proxies: [{ id: 1, type: 'default', direct: true, host: 'g.test', port: 1, username: '', password: '' }],
    // No policy contains the last site, so the PAC must not contain it.
    policies: [
      { id: 1, proxyId: 1, allSites, users: [1], sites: addresses.map((_, i) => i + 1).slice(0, -1) },
    ],
  };
  putCompany(index, snapshot);
  return index;
}

const sites = [
  'crm.example.ru',
  '*.wiki.example.ru',
  'bank.example.ru:8443',
  'bank.example.ru',
  'only.example.ru:8443',
  'www.shop.example.ru',
  '*.xn--e1afmkfd.xn--p1ai',
  '*.port.example.ru:8080',
  'my_app.example.ru',
  'hidden.example.ru',
];

const spellings = [
  ...[
    'crm.example.ru',
    'CRM.Example.RU',
    'crm.example.ru.',
    'ｃｒｍ.example.ru',
    'crm。example。ru',
    'www.crm.example.ru',
  ],
  ...[
    'www.www.crm.example.ru',
    'a.crm.example.ru',
    'xcrm.example.ru',
    'crm.example.ru.evil.ru',
    'example.ru',
  ],
  ...[
    'wiki.example.ru',
    'a.wiki.example.ru',
    'a.b.wiki.example.ru',
    'www.wiki.example.ru',
    'awiki.example.ru',
  ],
  ...[
    '-a.wiki.example.ru',
    'a-.wiki.example.ru',
    `${'a'.repeat(63)}.wiki.example.ru`,
    `${'a'.repeat(64)}.wiki.example.ru`,
  ],
  ...[
    '_a.wiki.example.ru',
    'a..wiki.example.ru',
    '.wiki.example.ru',
    'wiki.example.ru..',
    '1.wiki.example.ru',
  ],
  ...['bank.example.ru', 'www.bank.example.ru', 'only.example.ru', 'www.only.example.ru', 'shop.example.ru'],
  ...[
    'www.shop.example.ru',
    'www.www.shop.example.ru',
    'пример.рф',
    'ПРИМЕР.РФ',
    'а.пример.рф',
    'xn--e1afmkfd.xn--p1ai',
  ],
  ...[
    'port.example.ru',
    'x.port.example.ru',
    'my_app.example.ru',
    'hidden.example.ru',
    'www.hidden.example.ru',
  ],
  ...[
    'localhost',
    'a.localhost',
    'crm',
    '127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '①②⑦.0.0.1',
    '[::1]',
    '10.0.0.1',
  ],
  ...[
    'example.1',
    'example.0x1',
    'constructor',
    '__proto__',
    'a.__proto__',
    'toString.ru',
    `${'a.'.repeat(126)}ru`,
  ],
  ...[
    'evil.ru',
    'www.ru',
    'ru',
    'ex%61mple.ru',
    'crm%2eexample.ru',
    'crm.example.ru@evil.ru',
    'evil.ru#crm.example.ru',
  ],
];

const tally = openThreatCase(
  'host spellings',
  'spellings, schemes and ports: the api, the extension, its PAC and the gateway make the same decision',
);
afterAll(() => tally.close());

/** The URL that a browser opens, and the host that the gateway then receives. */
function asked(spelling: string, scheme: string, port: number | null): { url: string; port: number } | null {
  const url = `${scheme}://${spelling}${port === null || /[#@]/.test(spelling) ? '' : `:${port}`}/path?q#f`;
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  return { url, port: Number(parsed.port) || (scheme === 'https' ? 443 : 80) };
}

describe.each([false, true])(
  'with allSites, the PAC and createRoute() agree with decide() on %s',
  (allSites) => {
    const index = indexed(sites, allSites);
    const routed: Routed = { ...plain, allSites, sites: reachable(index, 1, 0)?.sites ?? [] };
    const pac = run(routed);
    const route = createRoute(routed);
    const verdict = (url: string, port: number) => {
      // A name below .localhost resolves to this machine and cannot be a site.
      const host = canonicalHost(new URL(url).hostname);
      if (host === null || host.endsWith('.localhost')) return false;
      return decide(index, 1, host, port, NOW).allow;
    };

    test('the PAC and createRoute() agree with decide() for every spelling, scheme and port', () => {
      let compared = 0;
      let through = 0;
      for (const spelling of spellings) {
        for (const scheme of ['http', 'https']) {
          for (const port of [null, 80, 443, 8080, 8443]) {
            const request = asked(spelling, scheme, port);
            if (request === null) continue;
            const expected = verdict(request.url, request.port);
            expect(pac(request.url), request.url).toBe(expected ? WAY : 'DIRECT');
            expect(route(request.url), request.url).toBe(expected);
            tally.held(1);
            compared++;
            through += Number(expected);
          }
        }
      }
      expect(compared).toBeGreaterThan(400);
      expect(through).toBeGreaterThan(50);
    });

    test('the PAC and createRoute() agree with decide() for any host and any site', () => {
      const label = fc.stringMatching(/^[a-z0-9_-]{1,6}$/);
      const host = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
      fc.assert(
        fc.property(
          fc.array(host, { maxLength: 4 }),
          fc.array(fc.tuple(fc.constantFrom('', '*.'), fc.constantFrom('', ':8443')), {
            minLength: 4,
            maxLength: 4,
          }),
          fc.constantFrom('', 'www.', 'a.'),
          fc.constantFrom(80, 443, 8443),
          (hosts, forms, prefix, port) => {
            const addresses = hosts.flatMap((name, i) => {
              const parsed = parseSiteAddress(`${forms[i]?.[0]}${name}.ru${forms[i]?.[1]}`);
              return 'fault' in parsed ? [] : [formatSiteAddress(parsed)];
            });
            const known = [...new Set(addresses), 'none.example.ru'];
            const drawn = indexed(known, allSites);
            const access: Routed = { ...plain, allSites, sites: reachable(drawn, 1, 0)?.sites ?? [] };
            const url = `http://${prefix}${hosts[0] ?? 'x'}.ru:${port}/`;
            if (!URL.canParse(url)) return;
            const name = canonicalHost(new URL(url).hostname);
            const expected = name !== null && decide(drawn, 1, name, port, NOW).allow;
            expect([run(access)(url), createRoute(access)(url)]).toEqual([
              expected ? WAY : 'DIRECT',
              expected,
            ]);
          },
        ),
        { numRuns: 300 },
      );
    });
  },
);

describe('the PAC', () => {
  test('the PAC contains only ASCII characters, and no DIRECT fallback after the gateway', () => {
    const { data } = pacScript({ ...plain, sites: ['пример.рф', 'a"b.ru', '\u2028.ru'] });
    expect(data).toMatch(/^[\n -~]*$/);
    expect(data).not.toMatch(/3128;/);
  });

  test('pacScript marks a PAC as mandatory only when allSites is true', () => {
    expect(pacScript(plain).mandatory).toBe(false);
    expect(pacScript({ ...plain, allSites: true }).mandatory).toBe(true);
  });

  test('the PAC routes the console, the gateway and localhost directly', () => {
    const pac = run({
      ...plain,
      allSites: true,
      gateway: { scheme: 'https', host: 'gate.propusk.test', port: 443 },
    });
    for (const host of [
      'pass.propusk.test',
      'PASS.propusk.test.',
      'localhost',
      'x.localhost',
      '127.0.0.1',
      'gate.propusk.test',
    ]) {
      expect(pac(`https://${host}/`), host).toBe('DIRECT');
    }
    expect(pac('https://any.example.ru/')).toBe('HTTPS gate.propusk.test:443');
    expect(pac('wss://any.example.ru/')).toBe('HTTPS gate.propusk.test:443');
    expect(pac('ftp://any.example.ru/')).toBe('DIRECT');
  });

  test('pacScript rejects a gateway host that contains more than a host name', () => {
    const host = 'a.test:1"; DIRECT';
    expect(() => pacScript({ ...plain, gateway: { ...gateway, host } })).toThrow(/no host/);
  });

  test('a PAC of 30,000 hosts is hardly slower than a PAC of 30', () => {
    const many = Array.from({ length: 30_000 }, (_, i) => `site${i}.example.ru`);
    const script = { ...plain, sites: many };
    expect(pacScript(script).data.length).toBeLessThan(1_250_000);
    const pac = run(script);
    // Compares the two PACs by the ratio of their times, because absolute times depend on the machine. With a
    // linear search, the ratio would be about a thousand.
    const timed = (asked: typeof pac) => {
      const rounds = [0, 1, 2].map(() => {
        const started = performance.now();
        for (let i = 0; i < 5_000; i++) asked(`https://site${i * 8}.example.ru/`);
        return performance.now() - started;
      });
      return Math.min(...rounds);
    };
    const few = timed(run({ ...plain, sites: many.slice(0, 30) }));
    expect(timed(pac) / few).toBeLessThan(5);
    expect([pac('https://site29999.example.ru/'), pac('https://site30000.example.ru/')]).toEqual([
      WAY,
      'DIRECT',
    ]);
  });
});
