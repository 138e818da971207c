import { type CheckMessage, sayCheck } from '@propusk/phrases/checks';
import { describe, expect, test } from 'vitest';
import type { StepResult } from './classify-response.ts';
import {
  cdnOf,
  classifyConnectError,
  classifyFailure,
  classifyOutside,
  classifyThrough,
  type Finding,
} from './classify-response.ts';
import { ConnectError, type ConnectErrorReason } from './connect-error.ts';
import { namesOf, type OutsideStep, type PlannedStep, planRequests, type ThroughStep } from './plan.ts';
import { decideVerdict, type VerdictContext } from './verdict.ts';

const usual: VerdictContext = {
  proxies: 1,
  egressKnown: true,
  insider: false,
  unfinished: false,
  held: false,
  connectivity: { confirmed: [], failed: [] },
};
/** The echo answered a direct request. */
const seen = { connectivity: { confirmed: [4 as const], failed: [] } };
const text = (words: string): CheckMessage => ({ code: 'legacy', params: { text: words } });
const place = { host: 'crm.example.ru', port: 443, scheme: 'https' } as const;
const outside = (kind: OutsideStep['kind'] = 'plain', at: Partial<OutsideStep> = {}): OutsideStep => ({
  ...place,
  vantage: 'outside',
  kind,
  address: '198.51.100.7',
  path: '/',
  headers: {},
  title: text(`outside ${kind}`),
  ...at,
});
const through = (proxyId = 3, scheme: 'https' | 'http' = 'https'): ThroughStep => ({
  ...place,
  scheme,
  vantage: 'through',
  kind: 'get',
  proxyId,
  title: text(`through ${proxyId} ${scheme}`),
});
const took = (step: PlannedStep, finding: Finding, cdn: string | null = null): StepResult => ({
  step,
  finding,
  detail: text(finding),
  cdn,
});
const shut = took(outside(), 'denied');
const deep = took(outside('deep'), 'denied');
const inside = took(through(), 'open');
const v6 = { address: '2606:4700::7' };

describe('the verdict', () => {
  test.each<[string, StepResult[], Partial<VerdictContext>, string, RegExp]>([
    ['strangers are refused and the proxy is admitted', [shut, deep, inside], {}, 'protected', /отказом/],
    ['a firewall drops strangers', [took(outside(), 'no_connection'), inside], seen, 'protected', /отказом/],
    [
      'a firewall drops strangers, or us',
      [took(outside(), 'no_connection'), inside],
      {},
      'unknown',
      /не дозвалась/,
    ],
    ['a firewall refuses strangers', [took(outside(), 'refused'), inside], {}, 'protected', /отказом/],
    [
      'something refuses us, our own echo too',
      [took(outside(), 'refused'), inside],
      { connectivity: { confirmed: [], failed: [4] } },
      'unknown',
      /не дошли/,
    ],
    [
      'shut by IPv4, and no way out by IPv6',
      [shut, deep, took(outside('plain', v6), 'no_egress'), inside],
      seen,
      'unknown',
      /outside plain: no_egress/,
    ],
    [
      'shut by IPv4, and nothing comes back by IPv6',
      [shut, deep, took(outside('plain', v6), 'no_connection'), inside],
      seen,
      'unknown',
      /по IPv6 никуда/,
    ],
    [
      'shut by IPv4, dropped by IPv6, which gets out',
      [shut, deep, took(outside('plain', v6), 'no_connection'), inside],
      { connectivity: { confirmed: [6], failed: [] } },
      'protected',
      /отказом/,
    ],
    [
      'nothing is reached from here, our own echo neither',
      [took(outside(), 'no_connection'), took(outside('plain', v6), 'refused'), inside],
      { connectivity: { confirmed: [], failed: [4, 6] } },
      'unknown',
      /не дошли/,
    ],
    ['dropped, everywhere', [took(outside(), 'dropped'), deep, inside], {}, 'protected', /отказом/],
    [
      'dropped, but for a folder',
      [took(outside(), 'dropped'), took(outside('deep'), 'open'), inside],
      {},
      'open',
      /./,
    ],
    ['the first page alone was asked', [shut, inside], {}, 'unknown', /Спрошена только главная/],
    ['a ban in the middle', [shut, took(outside('deep'), 'unclear'), inside], {}, 'unknown', /не говорит/],
    [
      'http leads to https, and https refuses',
      [took(outside('plain', { scheme: 'http', port: 80 }), 'redirect'), shut, deep, inside],
      {},
      'protected',
      /отказом/,
    ],
    [
      'one scheme alone',
      [shut, deep, inside, took(through(3, 'http'), 'no_connection')],
      {},
      'protected',
      /отказом/,
    ],
    ['the first page is open', [took(outside(), 'open'), inside], {}, 'open', /outside plain: open/],
    ['a header opens it', [shut, took(outside('spoofed'), 'open'), inside], {}, 'open', /outside spoofed/],
    ['a folder is open', [shut, took(outside('deep'), 'open'), inside], {}, 'open', /outside deep/],
    ['one address of two is open', [shut, took(outside(), 'open'), inside], {}, 'open', /открыт всем/],
    ['open, though closed to its own', [took(outside(), 'open'), took(through(), 'denied')], {}, 'open', /./],
    ['open, behind a CDN', [took(outside(), 'open', 'Cloudflare'), inside], {}, 'open', /./],
    ['open, with the time over', [took(outside(), 'open'), inside], { unfinished: true }, 'open', /./],
    ['every proxy is refused', [shut, took(through(), 'denied')], {}, 'closed', /through 3/],
    ['one proxy of two is refused', [shut, inside, took(through(4), 'denied')], {}, 'closed', /through 4/],
    [
      'no request is answered',
      [took(outside(), 'no_connection'), took(through(), 'no_connection')],
      {},
      'closed',
      /не отвечает/,
    ],
    [
      'an error for all',
      [took(outside(), 'server_error'), took(through(), 'server_error')],
      {},
      'server_error',
      /./,
    ],
    ['an error inside alone', [shut, took(through(), 'server_error')], {}, 'server_error', /through 3/],
    ['behind a CDN', [took(outside(), 'denied', 'Cloudflare'), inside], {}, 'cdn', /отказ мог дать сам CDN/],
    [
      'shut by a lock that sees the CDN',
      [took(outside(), 'denied', 'Qrator'), took(through(), 'denied')],
      {},
      'cdn',
      /не пускает никого/,
    ],
    ['no policy', [], { proxies: 0 }, 'unknown', /ни в одной политике/],
    ['the proxy is away', [shut, took(through(), 'inconclusive')], {}, 'unknown', /не дошли/],
    [
      'one proxy of two is away',
      [shut, inside, took(through(4), 'inconclusive')],
      {},
      'unknown',
      /through 4/,
    ],
    [
      'the probe shares the egress',
      [took(outside(), 'inconclusive'), inside],
      { insider: true },
      'unknown',
      /того же адреса/,
    ],
    [
      'the probe shares the egress and is refused',
      [took(through(), 'denied')],
      { insider: true },
      'closed',
      /./,
    ],
    [
      'another company holds it',
      [shut, took(through(), 'inconclusive')],
      { held: true },
      'unknown',
      /за другой компанией/,
    ],
    ['open, though another company holds it', [took(outside(), 'open')], { held: true }, 'open', /./],
    ['the time is over', [shut, inside], { unfinished: true }, 'unknown', /не успела/],
    ['an inconclusive response', [took(outside(), 'unclear'), inside], {}, 'unknown', /не говорит/],
    ['a failed TLS handshake', [shut, took(outside(), 'no_tls'), inside], {}, 'unknown', /не говорит/],
    ['redirects alone', [took(outside(), 'redirect'), inside], {}, 'unknown', /переадресует/],
    ['nothing was asked outside', [inside], {}, 'unknown', /./],
    ['no address to pretend', [shut, deep, inside], { egressKnown: false }, 'unknown', /подделку/],
    [
      'a name without DNS records',
      [took({ vantage: 'outside', kind: 'unresolved', host: 'x.ru', title: text('') }, 'inconclusive')],
      {},
      'unknown',
      /DNS/,
    ],
    [
      'a name with an internal address',
      [
        shut,
        inside,
        took({ vantage: 'outside', kind: 'address_refused', host: 'x.ru', title: text('') }, 'inconclusive'),
      ],
      {},
      'unknown',
      /внутренний/,
    ],
  ])('the verdict follows from the step results: %s', (_, taken, known, verdict, meaning) => {
    const found = decideVerdict(taken, { ...usual, ...known });
    expect(found.verdict).toBe(verdict);
    expect(sayCheck(found.meaning)).toMatch(meaning);
    expect(found.advice === null).toBe(verdict === 'protected');
  });
});

describe('an answer to a stranger', () => {
  const http = outside('plain', { scheme: 'http', port: 80 });
  test.each<[string, OutsideStep, number, Record<string, string>, Finding]>([
    ['403', outside(), 403, {}, 'denied'],
    ['200', outside(), 200, {}, 'open'],
    ['a password is asked for', outside(), 401, {}, 'open'],
    ['the site does not know the page', outside('deep'), 404, {}, 'open'],
    ['an error', outside(), 500, {}, 'server_error'],
    ['an error for a header', outside('spoofed'), 503, {}, 'unclear'],
    ['a bad request', outside(), 400, {}, 'unclear'],
    ['too many', outside(), 429, {}, 'unclear'],
    ['not modified', outside(), 304, { location: 'https://crm.example.ru/' }, 'open'],
    ['to https', http, 301, { location: 'https://crm.example.ru/' }, 'redirect'],
    ['to https with www', http, 308, { location: 'https://www.crm.example.ru/x' }, 'redirect'],
    ['to www', outside(), 301, { location: 'https://www.crm.example.ru/' }, 'redirect'],
    ['to the sign-in', outside(), 302, { location: '/login' }, 'open'],
    [
      'to the sign-in by its whole address',
      outside(),
      302,
      { location: 'https://crm.example.ru/login' },
      'open',
    ],
    [
      'a page, to the first page',
      outside('deep', { path: '/index.php' }),
      301,
      { location: '/' },
      'redirect',
    ],
    ['a page, to the sign-in', outside('deep', { path: '/index.php' }), 301, { location: '/?login' }, 'open'],
    ['no certificate there', outside('acme', { path: '/.well-known/x' }), 404, {}, 'denied'],
    ['something where a certificate is to be', outside('acme', { path: '/.well-known/x' }), 200, {}, 'open'],
    ['to another site', http, 301, { location: 'https://example.ru/' }, 'open'],
    ['to another port', http, 301, { location: 'https://crm.example.ru:8443/' }, 'open'],
    ['to http', http, 301, { location: 'http://www.crm.example.ru/' }, 'open'],
    ['nowhere', http, 301, {}, 'open'],
    [
      'to https, with a page',
      http,
      301,
      { location: 'https://crm.example.ru/', 'content-length': '50000' },
      'open',
    ],
  ])('a response to a stranger is classified: %s', (_, step, status, headers, expected) =>
    expect(classifyOutside(step, { status, headers })).toBe(expected),
  );

  test('a response through a proxy is open unless it is a refusal or a server error', () => {
    const found = [200, 301, 401, 404, 403, 500].map((status) => classifyThrough({ status, headers: {} }));
    expect(found).toEqual(['open', 'open', 'open', 'open', 'denied', 'server_error']);
  });

  test('a connect error of the proxy is inconclusive about the site', () => {
    expect(classifyConnectError(new ConnectError('proxy', 'timeout'))).toBe('inconclusive');
    expect(classifyConnectError(new ConnectError('site', 'timeout'))).toBe('no_connection');
    expect(classifyConnectError(new ConnectError('site', 'tls_failed'))).toBe('no_tls');
  });

  test('a connect error distinguishes a refusal by the site from a failure of our network', () => {
    const at = (reason: ConnectErrorReason, first = true, connected = false) =>
      classifyFailure(new ConnectError('site', reason), { first, connected });
    expect(at('connection_refused')).toBe('refused');
    expect(at('no_route')).toBe('no_egress');
    expect(at('timeout')).toBe('no_connection');
    expect(at('broken_off', true, true)).toBe('dropped');
    // A timeout after the site accepted earlier connections.
    expect(at('timeout', true, true)).toBe('unclear');
    expect(at('timeout', false)).toBe('unclear');
    expect(at('connection_refused', false)).toBe('unclear');
  });

  test.each<[Record<string, string>, string | null]>([
    [{ 'cf-ray': '8f1-DME' }, 'Cloudflare'],
    [{ server: 'cloudflare' }, 'Cloudflare'],
    [{ 'x-amz-cf-id': 'x' }, 'Amazon CloudFront'],
    [{ server: 'AkamaiGHost' }, 'Akamai'],
    [{ server: 'ddos-guard' }, 'DDoS-Guard'],
    [{ server: 'QRATOR' }, 'Qrator'],
    [{ 'x-served-by': 'cache-fra-1' }, 'Fastly'],
    [{ 'x-served-by': 'backend-1', server: 'nginx' }, null],
  ])('response headers %j identify the CDN %s', (headers, expected) => expect(cdnOf(headers)).toBe(expected));
});

describe('the plan', () => {
  const named = (host: string, addresses: string[]) => ({ host, addresses, refused: null, optional: false });
  const plan = (
    names: ReturnType<typeof named>[],
    port: number | null = null,
    egress: string | null = '192.0.2.5',
  ) => planRequests({ names, port, proxies: [{ id: 3, name: 'proxy.ru' }], egress, random: 'abc' });

  test('the plan requests every address by both schemes, plainly, with five headers and at five other paths, and once through each proxy', () => {
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

  test('the plan stops at eight addresses', () => {
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
