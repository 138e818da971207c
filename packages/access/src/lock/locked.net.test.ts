import type { Daemon } from '@propusk/test-kit/daemon';
import { startApache } from '@propusk/test-kit/locks/apache';
import { startCaddy } from '@propusk/test-kit/locks/caddy';
import { ask, EGRESS, OUTSIDE } from '@propusk/test-kit/locks/curl';
import { startNginx } from '@propusk/test-kit/locks/nginx';
import { ACME_ANSWER, ACME_FILE, lockOf, SECRET, SITE } from '@propusk/test-kit/locks/site';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Tests the lock for each supported web server against requests that try to bypass the lock. */

// The lock admits these addresses. Tests send allowed requests only from EGRESS.
const known = [EGRESS, '203.0.113.5', '2001:db8::5'];

const nginxOwner = `
  error_page 404 = /index.php;
  error_page 403 = @application;
  location @application { try_files /index.php =404; }
  default_type application/octet-stream;
  location / { try_files $uri $uri/ /index.php?$args; }
  location = /said { return 200 "${SECRET}"; }
  location /allowed/ { allow all; alias /dev/null; }
  location /inner/ { allow all; location /inner/said { allow all; return 200 "${SECRET}"; } }
`;
const caddyOwner = `
  handle /said {
    respond "${SECRET}" 200
  }
  handle_path /inner/* {
    respond "${SECRET}" 200
  }
  redir /moved /private.txt
  handle {
    file_server browse
  }
`;
const cms = `RewriteEngine On
RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f
RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-d
RewriteRule . /index.php [L]
ErrorDocument 403 /private.txt
ErrorDocument 404 /index.php
`;

interface Server {
  /** Starts the web server with a lock that admits only the given addresses. */
  locked(egress: readonly string[]): Promise<Daemon>;
  /** Starts the web server without a lock. */
  open(): Promise<Daemon>;
}
const granting = {
  'child/.htaccess': 'Require all granted\n',
  'admin/.htaccess': 'Order deny,allow\nAllow from all\nSatisfy Any\n',
};
const servers: Record<string, Server> = {
  'Apache .htaccess': {
    locked: (egress) =>
      startApache({ htaccess: lockOf('htaccess', egress) + cms, allowOverride: 'All', files: granting }),
    open: () => startApache({ htaccess: cms, allowOverride: 'All' }),
  },
  'Apache vhost': {
    locked: (egress) =>
      startApache({ host: cms + lockOf('apache', egress), allowOverride: 'All', files: granting }),
    open: () => startApache({ host: cms }),
  },
  nginx: {
    locked: (egress) => startNginx({ lock: lockOf('nginx', egress), server: nginxOwner }),
    open: () => startNginx({ server: nginxOwner }),
  },
  Caddy: {
    locked: (egress) => startCaddy({ lock: lockOf('caddy', egress), block: caddyOwner }),
    open: () => startCaddy({ block: caddyOwner }),
  },
  'LiteSpeed rules on mod_rewrite': {
    locked: (egress) =>
      startApache({ htaccess: lockOf('litespeed', egress) + cms, allowOverride: 'FileInfo' }),
    open: () => startApache({ htaccess: cms, allowOverride: 'FileInfo' }),
  },
};

/** Existing paths, and other spellings that some servers resolve to existing paths. */
const closedPaths = [
  '/',
  '/index.html',
  '/index.php',
  '/index.php/anything',
  '/admin',
  '/admin/',
  '/admin/users/deep/list.html',
  '/private.txt',
  '/info.php',
  '/info.php?x=/.well-known/acme-challenge/Ab3_x-9',
  '/child/',
  '/child/index.html',
  '/child%2findex.html',
  '/said',
  '/inner/said',
  '/allowed/x',
  '/moved',
  '/nothing/there',
  '/%61dmin/',
  '/./admin/',
  '//admin/',
  '/admin/../private.txt',
  '/ADMIN/',
  '/private.txt%00',
  '/private.txt;x',
];

/** Paths that resemble an ACME challenge path. The lock's exception for ACME challenges must not open these paths. */
const aroundAcme = [
  '/.well-known/acme-challenge/../../private.txt',
  '/.well-known/acme-challenge/%2e%2e/%2e%2e/private.txt',
  '/.well-known/acme-challenge/..%2f..%2fprivate.txt',
  '/.well-known/acme-challenge/%2e%2e%2f%2e%2e%2fprivate.txt',
  '/.well-known/acme-challenge/Ab3_x-9/../../../private.txt',
  '/.well-known/acme-challenge/Ab3_x-9/../page.html',
  '/.well-known/acme-challenge/..;/..;/private.txt',
  '/.well-known/acme-challenge//../../private.txt',
  '/.well-known/acme-challenge/./../../private.txt',
  '/.well-known/acme-challenge/..\\..\\private.txt',
  '/.well-known/acme-challenge/',
  '/.well-known/acme-challenge',
  '/.well-known/acme-challenge/page.html',
  '/.well-known/acme-challenge/page',
  '/.well-known/acme-challenge/Ab3_x-9/more',
  '/.well-known/acme-challenge/index.php/Ab3_x-9',
  '/.well-known/acme-challenge/index',
  '/.well-known/acme-challenge/absent?rest_route=/users',
  '/.well-known/acme-challenge/absent',
  '/.well-known/acme-challenge/absent%0a',
  '/.well-known/security.txt',
  '/private.txt/.well-known/acme-challenge/Ab3_x-9',
  '/index.php/.well-known/acme-challenge/Ab3_x-9',
  '/x/../private.txt?/.well-known/acme-challenge/Ab3_x-9',
  '/.WELL-KNOWN/acme-challenge/Ab3_x-9',
];

const forgeableHeaders = [
  'X-Forwarded-For',
  'X-Real-IP',
  'CF-Connecting-IP',
  'True-Client-IP',
  'X-Client-IP',
  'Client-IP',
];

describe.each(Object.entries(servers))('%s', (name, { locked, open }) => {
  let server: Daemon;
  beforeAll(async () => {
    server = await locked(known);
  });
  afterAll(() => server?.stop());

  test('without the lock a stranger reads the site', async () => {
    const bare = await open();
    try {
      for (const path of ['/', '/private.txt', '/child/index.html']) {
        expect((await ask(bare.port, path)).body).toContain(SECRET);
      }
    } finally {
      await bare.stop();
    }
  });

  test.each(['/', '/admin/users/deep/list.html', '/private.txt', '/info.php'])(
    'the egress address reads %s',
    async (path) => {
      const answer = await ask(server.port, path, { from: EGRESS });
      expect(answer.status).toBe(200);
      expect(answer.body).toContain(SECRET);
    },
  );

  test.each(closedPaths)('a stranger is denied %s', async (path) => {
    const answer = await ask(server.port, path);
    expect(answer.body).not.toContain(SECRET);
    // A server may reject a malformed path, or report a missing file, before the server evaluates the lock.
    expect([403, ...(/%00|%2f/.test(path) ? [400, 404] : [])]).toContain(answer.status);
  });

  test.each(aroundAcme)("the lock's exception for ACME challenges does not open %s", async (path) => {
    const answer = await ask(server.port, path);
    expect(answer.body).not.toContain(SECRET);
    expect([400, 403, 404]).toContain(answer.status);
  });

  test.each(['HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE', 'FOO'])(
    'a stranger is denied the method %s',
    async (method) => {
      const answer = await ask(server.port, '/private.txt', { method });
      expect(answer.body).not.toContain(SECRET);
      // TRACE never reaches the site: Apache echoes the request, and nginx refuses the method.
      if (method === 'TRACE') expect([200, 403, 405]).toContain(answer.status);
      else expect([403, 405, 501]).toContain(answer.status);
      if (['HEAD', 'POST', 'OPTIONS'].includes(method)) expect(answer.status).toBe(403);
    },
  );

  test.each(forgeableHeaders)('a stranger with the forged header %s is denied', async (header) => {
    for (const value of [EGRESS, `${EGRESS}, ${OUTSIDE}`, '203.0.113.5', '127.0.0.1']) {
      expect((await ask(server.port, '/', { headers: [`${header}: ${value}`] })).status).toBe(403);
    }
  });

  test('a stranger is denied despite a forged Forwarded header or an X-Original-URL header', async () => {
    for (const header of [
      `Forwarded: for=${EGRESS}`,
      `X-Original-URL: ${ACME_FILE}`,
      `X-Rewrite-URL: ${ACME_FILE}`,
    ]) {
      expect((await ask(server.port, '/', { headers: [header] })).status).toBe(403);
    }
  });

  test.each([
    `http://${SITE}/private.txt`,
    `http://${SITE}/.well-known/acme-challenge/../../private.txt`,
    `http://${SITE}${ACME_FILE}/../../../private.txt`,
    `/private.txt#${ACME_FILE}`,
  ])('a stranger is denied the request line %s', async (target) => {
    const answer = await ask(server.port, '/', { target });
    expect(answer.body).not.toContain(SECRET);
    expect([400, 403, 404]).toContain(answer.status);
  });

  if (name === 'Caddy') {
    test('the lock for Caddy has no exception for certificate files', async () => {
      expect((await ask(server.port, ACME_FILE)).status).toBe(403);
    });
  } else {
    test('a locked site serves the ACME challenge file to a certificate authority', async () => {
      expect(await ask(server.port, ACME_FILE)).toEqual({ status: 200, body: ACME_ANSWER });
      expect((await ask(server.port, ACME_FILE, { method: 'HEAD' })).status).toBe(200);
    });
  }

  test('an IPv4 visitor on a dual-stack socket is allowed or denied by the IPv4 address', async () => {
    const at = '127.0.0.2';
    expect((await ask(server.port, '/', { at, from: EGRESS })).status).toBe(200);
    expect((await ask(server.port, '/', { at })).status).toBe(403);
  });

  test('a locked site admits an IPv6 visitor only from an egress address', async () => {
    expect((await ask(server.port, '/', { at: '[::1]' })).status).toBe(403);
    const other = await locked(['::1']);
    try {
      expect((await ask(other.port, '/', { at: '[::1]' })).status).toBe(200);
      expect((await ask(other.port, '/')).status).toBe(403);
    } finally {
      await other.stop();
    }
  });
});
