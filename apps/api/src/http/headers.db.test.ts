import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { login } from '@propusk/contract/auth';
import { endpoints } from '@propusk/contract/endpoints';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { openThreatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
let secure: TestApi;
let callers: (string | null)[];
const extensionDir = mkdtempSync(join(tmpdir(), 'propusk-extension-'));
const tally = openThreatCase(
  'XSS, CSP, CORS',
  'headers of every response: content security policy, no frames, no foreign origin',
);
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  const settings = {
    publicUrl: new URL('https://pass.example.ru'),
    helpUrl: 'https://wiki.example.ru/pass?lang=ru',
    extensionDir,
  };
  secure = await startApi(inject('serverUrl'), { settings });
  const owner = await api.company();
  callers = [null, 'A'.repeat(43), owner.token, (await api.agent(owner.token)).token, await createAdmin(api)];
});
afterAll(async () => {
  await api.close();
  await secure.close();
  tally.close();
  rmSync(extensionDir, { recursive: true });
});

type Headers = Readonly<Record<string, unknown>>;

const origins = ['https://evil.test', 'null', 'http://console.test.evil.test', 'http://console.test'];

/** Parses the directives of the header Content-Security-Policy. */
function policyOf(headers: Headers): Map<string, string[]> {
  const directives = String(headers['content-security-policy']).split(';');
  return new Map(
    directives.map((one) => {
      const [name = '', ...sources] = one.trim().split(/\s+/);
      return [name, sources];
    }),
  );
}

/** Checks the security headers that every response carries. */
function assertSecurityHeaders(headers: Headers): void {
  const policy = policyOf(headers);
  // These three directives do not fall back to default-src (CSP 3 section 6.1).
  const alone = new Set(['base-uri', 'form-action', 'frame-ancestors']);
  const of = (directive: string) =>
    policy.get(directive) ?? (alone.has(directive) ? undefined : policy.get('default-src'));
  expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
  expect(of('object-src')).toEqual(["'none'"]);
  for (const [directive, sources] of policy) {
    // Only the console's own files may run: no inline code, no eval, no other origin.
    const allowed = directive === 'style-src' ? ["'self'", "'unsafe-inline'"] : ["'self'", "'none'", 'data:'];
    expect(sources.filter((source) => !allowed.includes(source))).toEqual([]);
    if (directive !== 'img-src') expect(sources).not.toContain('data:');
  }
  for (const directive of ['script-src', 'connect-src', 'base-uri', 'form-action', 'script-src-attr']) {
    const sources = of(directive);
    expect([["'self'"], ["'none'"]], directive).toContainEqual(sources);
  }
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  expect(
    Object.keys(headers).filter((name) => /^access-control-|^set-cookie$|^x-powered-by$/.test(name)),
  ).toEqual([]);
}

describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_, endpoint) => {
    const url = `/api${endpoint.path.replace(/:\w+/g, '1')}`;

    test('responses allow no foreign origin and no caching', () =>
      tally.watch(async () => {
        for (const token of callers) {
          for (const origin of origins) {
            const { headers } = await api.app.inject({
              method: endpoint.method,
              url,
              headers: { origin, ...(token !== null && { authorization: `Bearer ${token}` }) },
              // Sends an invalid body, because a valid call could delete rows that later calls of this test need.
              ...(endpoint.body !== undefined && { payload: { hostile: true } }),
              ...(endpoint.path === '/auth/logout' && { headers: { origin } }),
            });
            assertSecurityHeaders(headers);
            expect(headers['cache-control']).toBe('no-store');
          }
        }
      }, callers.length * origins.length));

    test('a CORS preflight gets 404', () =>
      tally.watch(async () => {
        for (const origin of origins) {
          const { statusCode, headers } = await api.app.inject({
            method: 'OPTIONS',
            url,
            headers: {
              origin,
              'access-control-request-method': endpoint.method,
              'access-control-request-headers': 'authorization,content-type',
              'access-control-request-private-network': 'true',
            },
          });
          assertSecurityHeaders(headers);
          expect(statusCode).toBe(404);
        }
      }, origins.length));
  },
);

test('/help redirects to HELP_URL, or serves the built-in user guide without HELP_URL', async () => {
  const { statusCode, headers } = await secure.app.inject('/help');
  expect([statusCode, headers.location]).toEqual([302, 'https://wiki.example.ru/pass?lang=ru']);
  expect((await api.app.inject('/help')).statusCode).toBe(200);
});

/** Paths of pages, files and the documentation, and paths whose requests are refused before routing. */
const addresses = [
  ...['/', '/index.html', '/auth/login', '/dashboard/creator/domains', '/lock', '/extension/pair', '/help'],
  ...[
    '/favicon.svg',
    '/scheme.js',
    '/assets/none.js',
    '/downloads/propusk-firefox.zip',
    '/downloads/propusk.crx',
    '/downloads/nothing',
  ],
  ...[
    '/api',
    '/api/',
    '/api/nothing',
    '/api/docs',
    '/api/docs/',
    '/api/docs/json',
    '/api/docs/yaml',
    '/api/docs/nothing',
  ],
  ...[
    '/api/docs/static/index.html',
    '/api/docs/static/swagger-ui.css',
    '/api/docs/static/swagger-initializer.js',
  ],
  ...[
    '//evil.test/',
    '/\\evil.test',
    '/%2f%2fevil.test',
    '/..%2f..%2fetc/passwd',
    '/%00',
    '/a%0d%0aset-cookie:x=1',
    '/%zz',
  ],
  ...['/?next=//evil.test', `/${'x'.repeat(5000)}`, `/api/proxy/${'9'.repeat(600)}`],
];

test.each(addresses)('responses at %s carry the security headers', (url) =>
  tally.watch(async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE', 'DELETE'] as const) {
      const { statusCode, headers } = await api.app.inject({
        method,
        url,
        headers: { origin: 'https://evil.test', host: 'evil.test' },
      });
      assertSecurityHeaders(headers);
      expect(statusCode).toBeLessThan(500);
      expect(headers.location ?? '/').toMatch(/^\/(?![/\\])/);
    }
  }, 6),
);

test('browsers may cache files with a hash in the name, but no responses with user data', async () => {
  const page = await api.app.inject('/');
  expect(page.headers['cache-control']).toBe('no-cache');
  const assets = [...page.body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(assets.length).toBeGreaterThan(0);
  for (const url of assets) {
    const { headers } = await api.app.inject(url);
    assertSecurityHeaders(headers);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toMatch(/^((text|application)\/(javascript|css)|font\/woff2)/);
  }
  const { headers } = await api.app.inject({
    method: 'POST',
    url: `/api${login.path}`,
    payload: { email: 'nobody@company.test', password: PASSWORD },
  });
  expect(headers['cache-control']).toBe('no-store');
});

test.each([
  ['propusk.crx', 'application/x-chrome-extension'],
  ['propusk.xpi', 'application/x-xpinstall'],
  ['updates.xml', 'application/xml'],
  ['updates.json', 'application/json'],
])('/downloads/%s is served as %s from EXTENSION_DIR once it exists', async (name, type) => {
  const url = `/downloads/${name}`;
  const absent = await secure.app.inject(url);
  expect([absent.statusCode, absent.json().code]).toEqual([404, 'no_such_call']);
  writeFileSync(join(extensionDir, name), 'signed');
  const { statusCode, headers, body } = await secure.app.inject(url);
  assertSecurityHeaders(headers);
  expect([statusCode, body]).toEqual([200, 'signed']);
  expect(headers).toMatchObject({ 'content-type': type, 'content-length': '6', 'cache-control': 'no-cache' });
  // Browsers would save an attachment instead of installing it.
  expect(headers['content-disposition']).toBeUndefined();
});

test.each(['propusk-chromium.zip', 'propusk-firefox.zip'])(
  '/downloads/%s is the zip of EXTENSION_DIR once it exists, and builds.json is not served',
  async (name) => {
    const url = `/downloads/${name}`;
    expect((await secure.app.inject(url)).body).not.toBe('signed');
    for (const file of [name, 'builds.json']) writeFileSync(join(extensionDir, file), 'signed');
    const { statusCode, headers, body } = await secure.app.inject(url);
    expect([statusCode, body, headers['content-type']]).toEqual([200, 'signed', 'application/zip']);
    expect(headers['content-disposition']).toBe(`attachment; filename="${name}"`);
    expect((await secure.app.inject('/downloads/builds.json')).statusCode).toBe(404);
  },
);

test('refusals of invalid bodies and of malformed requests carry the security headers', async () => {
  const url = `/api${login.path}`;
  const bodies: [type: string, payload: string][] = [
    ['application/json', '{'],
    ['application/json', `"${'x'.repeat(2 ** 21)}"`],
    ['text/plain', '{"email":"a@b.test","password":"correct horse"}'],
    ['application/x-www-form-urlencoded', 'email=a%40b.test&password=correct+horse'],
    ['multipart/form-data; boundary=x', '--x--'],
  ];
  for (const [type, payload] of bodies) {
    const { statusCode, headers } = await api.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': type, origin: 'https://evil.test' },
      payload,
    });
    assertSecurityHeaders(headers);
    // Media types that a foreign page may send without a preflight are refused.
    expect([400, 413, 415]).toContain(statusCode);
  }
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((api.app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('NONSENSE\r\n\r\n');
  const [head = ''] = (await text(socket)).split('\r\n\r\n');
  assertSecurityHeaders(
    Object.fromEntries(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(/: (.*)/).slice(0, 2)),
    ),
  );
});

test('responses carry HSTS over https and not over http', async () => {
  expect((await secure.app.inject('/')).headers['strict-transport-security']).toMatch(/max-age=\d{8,}/);
  expect((await api.app.inject('/')).headers['strict-transport-security']).toBeUndefined();
});
