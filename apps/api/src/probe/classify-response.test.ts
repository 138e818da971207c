import { describe, expect, test } from 'vitest';
import {
  cdnOf,
  classifyConnectError,
  classifyFailure,
  classifyOutside,
  classifyThrough,
  type Finding,
} from './classify-response.ts';
import { ConnectError, type ConnectErrorReason } from './connect-error.ts';
import type { OutsideStep } from './plan.ts';

const outside = (kind: OutsideStep['kind'] = 'plain', at: Partial<OutsideStep> = {}): OutsideStep => ({
  host: 'crm.example.ru',
  port: 443,
  scheme: 'https',
  vantage: 'outside',
  kind,
  address: '198.51.100.7',
  path: '/',
  headers: {},
  from: null,
  title: { code: 'outside_name', params: { host: kind } },
  ...at,
});

describe('responses to strangers', () => {
  const http = outside('plain', { scheme: 'http', port: 80 });
  test.each<[string, OutsideStep, number, Record<string, string>, Finding]>([
    ['403', outside(), 403, {}, 'denied'],
    ['200', outside(), 200, {}, 'open'],
    ['401, a password is required', outside(), 401, {}, 'open'],
    ['404 at another path', outside('deep'), 404, {}, 'open'],
    ['500', outside(), 500, {}, 'server_error'],
    ['503 for a spoofed header', outside('spoofed'), 503, {}, 'unclear'],
    ['400', outside(), 400, {}, 'unclear'],
    ['429', outside(), 429, {}, 'unclear'],
    ['304', outside(), 304, { location: 'https://crm.example.ru/' }, 'open'],
    ['a redirect to https', http, 301, { location: 'https://crm.example.ru/' }, 'redirect'],
    ['a redirect to https with www', http, 308, { location: 'https://www.crm.example.ru/x' }, 'redirect'],
    ['a redirect to www', outside(), 301, { location: 'https://www.crm.example.ru/' }, 'redirect'],
    ['a redirect to a sign-in page by path', outside(), 302, { location: '/login' }, 'open'],
    [
      'a redirect to a sign-in page by URL',
      outside(),
      302,
      { location: 'https://crm.example.ru/login' },
      'open',
    ],
    [
      'a redirect from another path to the first page',
      outside('deep', { path: '/index.php' }),
      301,
      { location: '/' },
      'redirect',
    ],
    [
      'a redirect from another path to a sign-in page',
      outside('deep', { path: '/index.php' }),
      301,
      { location: '/?login' },
      'open',
    ],
    ['404 at the ACME path', outside('acme', { path: '/.well-known/x' }), 404, {}, 'denied'],
    ['200 at the ACME path', outside('acme', { path: '/.well-known/x' }), 200, {}, 'open'],
    ['a redirect to another site', http, 301, { location: 'https://example.ru/' }, 'open'],
    ['a redirect to another port', http, 301, { location: 'https://crm.example.ru:8443/' }, 'open'],
    ['a redirect to http', http, 301, { location: 'http://www.crm.example.ru/' }, 'open'],
    ['a redirect without Location', http, 301, {}, 'open'],
    [
      'a redirect to https with a long body',
      http,
      301,
      { location: 'https://crm.example.ru/', 'content-length': '50000' },
      'open',
    ],
  ])('a response to a stranger is classified: %s', (_, step, status, headers, expected) =>
    expect(classifyOutside(step, { status, headers })).toBe(expected),
  );

  test.each([
    [200, 'open'],
    [204, 'open'],
    [401, 'open'],
    [403, 'denied'],
    [404, 'missing'],
    [405, 'missing'],
    [410, 'missing'],
    [304, 'rejected'],
    [400, 'rejected'],
    [429, 'rejected'],
    [500, 'server_error'],
  ])('a response with the status %i through a proxy is %s', (status, finding) => {
    expect(classifyThrough({ status, headers: {} })).toBe(finding);
  });

  test('a connect error of the proxy is inconclusive about the site', () => {
    expect(classifyConnectError(new ConnectError('proxy', 'timeout'))).toBe('inconclusive');
    expect(classifyConnectError(new ConnectError('site', 'timeout'))).toBe('no_connection');
    expect(classifyConnectError(new ConnectError('site', 'tls_failed'))).toBe('no_tls');
  });

  test('classifyFailure distinguishes a refusal by the site from a failure of our network', () => {
    const at = (reason: ConnectErrorReason, first = true, connected = false) =>
      classifyFailure(new ConnectError('site', reason), { first, connected });
    expect(at('connection_refused')).toBe('refused');
    expect(at('no_route')).toBe('no_egress');
    expect(at('timeout')).toBe('no_connection');
    expect(at('broken_off', true, true)).toBe('dropped');
    // A timeout after the site has accepted the connection proves nothing about the lock.
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
