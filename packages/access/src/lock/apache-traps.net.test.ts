import { type ApacheSite, startApache } from '@propusk/test-kit/locks/apache';
import { startApplication } from '@propusk/test-kit/locks/application';
import { type Answer, type Asking, ask, EGRESS } from '@propusk/test-kit/locks/curl';
import { ACME_FILE, lockOf, SECRET } from '@propusk/test-kit/locks/site';
import { describe, expect, test } from 'vitest';

/**
 * Apache configurations that bypass a lock. Some tests prove a limitation that the notes of our lock text state. The
 * others prove that the configuration bypasses a common simple lock, but not ours.
 */

const ours = lockOf('htaccess', [EGRESS]);
const bare = `Require ip ${EGRESS}\n`;
const byPathAlone = `<RequireAny>
  Require ip ${EGRESS}
  Require expr "%{REQUEST_URI} =~ m#^/\\.well-known/acme-challenge/#"
</RequireAny>
`;
const frontController = `RewriteEngine On
RewriteCond %{REQUEST_FILENAME} !-f
RewriteRule . /index.php [L]
`;

async function answers(
  site: ApacheSite,
  ...paths: readonly (string | [string, Asking])[]
): Promise<Answer[]> {
  const server = await startApache(site);
  try {
    const all: Answer[] = [];
    for (const path of paths) {
      all.push(typeof path === 'string' ? await ask(server.port, path) : await ask(server.port, ...path));
    }
    return all;
  } finally {
    await server.stop();
  }
}

async function statuses(...args: Parameters<typeof answers>): Promise<number[]> {
  return (await answers(...args)).map(({ status }) => status);
}

/** Two requests: the first from an outside address, the second from the egress address. */
const both = ['/', ['/', { from: EGRESS }]] as const satisfies readonly (string | [string, Asking])[];

describe('the .htaccess lock depends on AllowOverride', () => {
  test.each([
    ['AuthConfig', [403, 200]],
    ['All', [403, 200]],
    ['AuthConfig Nonfatal=All', [403, 200]],
    ['None', [200, 200]],
    ['FileInfo Nonfatal=All', [200, 200]],
    ['FileInfo', [500, 500]],
    ['Limit', [500, 500]],
  ])('with AllowOverride %s a stranger and the egress address get %j', async (allowOverride, expected) => {
    expect(await statuses({ htaccess: ours, allowOverride }, ...both)).toEqual(expected);
  });

  test.each([
    ['a host name in Require ip', `Require ip ${EGRESS} crm.example.test\n`],
    ['a directive of another class', `${ours}Header set X-Locked yes\n`],
    ['RemoteIPHeader', `${ours}RemoteIPHeader CF-Connecting-IP\n`],
  ])('Apache answers 500 to %s in .htaccess', async (_, htaccess) => {
    expect(await statuses({ htaccess, allowOverride: 'AuthConfig' }, ...both)).toEqual([500, 500]);
  });
});

describe('rules of the site can override a lock', () => {
  const granted = { 'child/.htaccess': 'Require all granted\n' };
  test('a nested .htaccess that grants access overrides a bare Require, but not our lock', async () => {
    const site = { allowOverride: 'AuthConfig', files: granted };
    expect(await statuses({ ...site, htaccess: bare }, '/child/', '/')).toEqual([200, 403]);
    expect(await statuses({ ...site, htaccess: ours }, '/child/', '/')).toEqual([403, 403]);
  });

  test('Satisfy Any with an old Allow overrides a bare Require, but not our lock', async () => {
    const legacy = 'Order deny,allow\nAllow from all\nSatisfy Any\n';
    const site = { allowOverride: 'All', files: { 'child/.htaccess': legacy } };
    expect(await statuses({ ...site, htaccess: bare + legacy }, '/', '/child/')).toEqual([200, 200]);
    expect(await statuses({ ...site, htaccess: ours + legacy }, '/', '/child/')).toEqual([403, 403]);
    expect(await statuses({ ...site, htaccess: legacy + ours }, '/', '/child/')).toEqual([403, 403]);
  });

  test('Satisfy Any does not override a lock with sixty egress addresses and a CDN', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `203.0.113.${index + 1}`);
    const files = {
      'child/.htaccess': 'Allow from all\nSatisfy Any\n',
      'old/.htaccess': 'Deny from all\n',
      'old/index.html': SECRET,
    };
    for (const kind of ['htaccess', 'htaccess-cdn'] as const) {
      const htaccess = lockOf(kind, [...many, EGRESS]);
      const inside: [string, Asking][] = ['/', '/old/'].map((path) => [path, { from: EGRESS }]);
      const seen = await statuses(
        { allowOverride: 'All', htaccess, files },
        '/',
        '/child/',
        '/old/',
        ...inside,
      );
      expect(seen).toEqual([403, 403, 403, 200, 403]);
    }
  });

  test('a Location or Files section that grants access overrides a bare Require, but not our lock', async () => {
    const host = '<Location "/child">\nRequire all granted\n</Location>\n';
    const files = { 'child/.htaccess': '<Files "*">\nRequire all granted\n</Files>\n' };
    const site = { allowOverride: 'All', host, files };
    expect(await statuses({ ...site, htaccess: bare }, '/child/')).toEqual([200]);
    expect(await statuses({ ...site, htaccess: ours }, '/child/')).toEqual([403]);
    expect(await statuses({ ...site, host: lockOf('apache', [EGRESS]) + host }, '/child/')).toEqual([403]);
  });

  test('an <If> section with a Require in a nested .htaccess overrides our lock', async () => {
    const files = { 'child/.htaccess': '<If "true">\nRequire all granted\n</If>\n' };
    expect(await statuses({ allowOverride: 'All', htaccess: ours, files }, '/child/', '/')).toEqual([
      200, 403,
    ]);
  });

  test('Alias and ProxyPass bypass the .htaccess lock, but not the virtual host lock', async () => {
    const application = await startApplication();
    const passed = `ProxyPass /app http://127.0.0.1:${application.port}\n`;
    const paths = ['/elsewhere/private.txt', '/app/x', '/'];
    try {
      expect(await statuses({ htaccess: ours, allowOverride: 'All', host: passed }, ...paths)).toEqual([
        200, 200, 403,
      ]);
      expect(await statuses({ host: passed + lockOf('apache', [EGRESS]) }, ...paths)).toEqual([
        403, 403, 403,
      ]);
    } finally {
      await application.stop();
    }
  });

  test('mod_remoteip without RemoteIPTrustedProxy accepts a forged address from any client', async () => {
    // This test uses a public egress address, because mod_remoteip ignores private addresses in the header
    // unless the sender is a listed proxy.
    const lie: [string, Asking] = ['/', { headers: ['X-Forwarded-For: 203.0.113.5'] }];
    const host = `RemoteIPHeader X-Forwarded-For\n${lockOf('apache', ['203.0.113.5'])}`;
    expect(await statuses({ host }, '/', lie)).toEqual([403, 200]);
    expect(await statuses({ host: `${host}RemoteIPTrustedProxy 127.0.0.9\n` }, '/', lie)).toEqual([403, 403]);
  });

  test('another spelling of a path bypasses a rewrite rule on the request line, but not our lock', async () => {
    const htaccess = 'RewriteEngine On\nRewriteCond %{THE_REQUEST} " /admin"\nRewriteRule ^ - [F]\n';
    const spellings = ['/admin/', '/%61dmin/', '/./admin/', '//admin/'];
    expect(await statuses({ htaccess, allowOverride: 'All' }, ...spellings)).toEqual([403, 200, 200, 200]);
    expect(await statuses({ htaccess: ours, allowOverride: 'All' }, ...spellings)).toEqual([
      403, 403, 403, 403,
    ]);
  });
});

describe('the lock keeps access rules that the site already has', () => {
  const forbidding = {
    'closed/index.html': SECRET,
    'closed/.htaccess': 'Require all denied\n',
    'old/index.html': SECRET,
    'old/.htaccess': 'Order allow,deny\nDeny from all\n',
  };
  const inside = { from: EGRESS };

  test('a folder that the site denies to everyone stays denied to the egress address', async () => {
    const paths = ['/closed/', '/old/', '/.htaccess', '/'].map((path): [string, Asking] => [path, inside]);
    for (const lock of [{ htaccess: ours }, { htaccess: '', host: lockOf('apache', [EGRESS]) }]) {
      const site = { allowOverride: 'All', files: forbidding, ...lock };
      expect(await statuses(site, ...paths)).toEqual([403, 403, 403, 200]);
      expect(await statuses(site, '/closed/', '/old/', '/.htaccess', '/')).toEqual([403, 403, 403, 403]);
    }
  });

  test("a client at the egress address still needs the site's own password", async () => {
    const basic = (folder: string) => `AuthType Basic
AuthName "house"
AuthUserFile ${folder}/site/.htpasswd
Require valid-user
`;
    const files = { '.htpasswd': 'anna:{SHA}qUqP5cyxm6YcTAhz05Hph5gvu9M=\n' };
    const htaccess = (folder: string) => ours + basic(folder);
    const server = await startApache({ htaccess, allowOverride: 'AuthConfig', files });
    const headers = [`Authorization: Basic ${Buffer.from('anna:test').toString('base64')}`];
    try {
      expect((await ask(server.port, '/', inside)).status).toBe(401);
      expect((await ask(server.port, '/', { ...inside, headers })).status).toBe(200);
      expect((await ask(server.port, '/', { headers })).status).toBe(403);
      expect((await ask(server.port, '/')).body).not.toContain(SECRET);
    } finally {
      await server.stop();
    }
  });
});

test('mod_cache serves cached pages despite the .htaccess lock, but not despite the virtual host lock', async () => {
  const caching = 'CacheEnable disk /\nCacheMinExpire 3600\n';
  const first: [string, Asking] = ['/private.txt', { from: EGRESS }];
  const site = { htaccess: ours, allowOverride: 'All', host: caching };
  expect(await statuses(site, first, '/private.txt')).toEqual([200, 200]);
  const host = caching + lockOf('apache', [EGRESS]);
  expect(await statuses({ host }, first, '/private.txt', first)).toEqual([200, 403, 200]);
});

describe('the lock covers internal redirects and certificate paths', () => {
  test.each([
    ['a page of errors', 'ErrorDocument 403 /private.txt\n'],
    ['a page of errors that is not there and a CMS', `ErrorDocument 403 /403.shtml\n${frontController}`],
  ])(
    'with %s a denied visitor reads the site behind a bare Require, but not behind our lock',
    async (_, owner) => {
      const [naive] = await answers({ htaccess: bare + owner, allowOverride: 'All' }, '/admin/');
      expect(naive).toMatchObject({ status: 403, body: expect.stringContaining(SECRET) });
      const [refused] = await answers({ htaccess: ours + owner, allowOverride: 'All' }, '/admin/');
      expect(refused).toMatchObject({ status: 403, body: expect.not.stringContaining(SECRET) });
      const host = owner.replaceAll('REQUEST_FILENAME', 'DOCUMENT_ROOT}%{REQUEST_URI');
      const [shut] = await answers({ host: host + lockOf('apache', [EGRESS]) }, '/admin/');
      expect(shut).toMatchObject({ status: 403, body: expect.not.stringContaining(SECRET) });
    },
  );

  test('the exception for ACME challenges admits only a file, not a response of a CMS', async () => {
    const path = '/.well-known/acme-challenge/absent?rest_route=/users';
    const site = { allowOverride: 'All' };
    const [naive] = await answers({ ...site, htaccess: byPathAlone + frontController }, path);
    expect(naive).toMatchObject({ status: 200, body: expect.stringContaining(SECRET) });
    expect(await statuses({ ...site, htaccess: ours + frontController }, path, ACME_FILE)).toEqual([
      403, 200,
    ]);
    // Rewrite rules of a CMS that send every path to index.php, even the path of an existing file.
    const greedy = 'RewriteEngine On\nRewriteRule !^index\\.php$ /index.php [L]\n';
    const [taken] = await answers({ ...site, htaccess: ours + greedy }, ACME_FILE);
    expect(taken?.body).not.toContain(SECRET);
  });
});

test('a nested .htaccess with its own RewriteEngine disables the LiteSpeed lock', async () => {
  const files = { 'child/.htaccess': 'RewriteEngine On\n' };
  const site = { allowOverride: 'FileInfo', files };
  expect(await statuses({ ...site, htaccess: lockOf('litespeed', [EGRESS]) }, '/child/', '/')).toEqual([
    200, 403,
  ]);
  expect(await statuses({ ...site, host: lockOf('litespeed', [EGRESS]) }, '/child/', '/', ACME_FILE)).toEqual(
    [403, 403, 200],
  );
});
