import type { Daemon } from '@propusk/test-kit/daemon';
import { startApache } from '@propusk/test-kit/locks/apache';
import { type Application, startApplication } from '@propusk/test-kit/locks/application';
import { startCaddy } from '@propusk/test-kit/locks/caddy';
import { ask, EGRESS } from '@propusk/test-kit/locks/curl';
import { startNginx } from '@propusk/test-kit/locks/nginx';
import { ACME_FILE, lockOf, SECRET } from '@propusk/test-kit/locks/site';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A site whose application serves every path, so only the lock can refuse a request. */

const servers: Record<string, (port: number) => Promise<Daemon>> = {
  'Apache ProxyPass': (port) =>
    startApache({
      host: `ProxyPass / http://127.0.0.1:${port}/\n${lockOf('apache', [EGRESS])}`,
    }),
  'nginx proxy_pass': (port) =>
    startNginx({
      lock: lockOf('nginx', [EGRESS]),
      server: `location / { proxy_pass http://127.0.0.1:${port}; }`,
    }),
  'nginx named location': (port) =>
    startNginx({
      lock: lockOf('nginx', [EGRESS]),
      server: `error_page 403 404 = @app;
        location / { try_files $uri @app; }
        location @app { proxy_pass http://127.0.0.1:${port}; }`,
    }),
  'nginx whose server returns before any location': () =>
    startNginx({ lock: lockOf('nginx', [EGRESS]), server: `return 200 "${SECRET}";` }),
  'LiteSpeed rules on mod_rewrite before ProxyPass': (port) =>
    startApache({ host: `ProxyPass / http://127.0.0.1:${port}/\n${lockOf('litespeed', [EGRESS])}` }),
  'Caddy reverse_proxy': (port) =>
    startCaddy({ lock: lockOf('caddy', [EGRESS]), block: `reverse_proxy 127.0.0.1:${port}` }),
};

describe.each(Object.entries(servers))('%s', (name, start) => {
  let application: Application;
  let server: Daemon;
  beforeAll(async () => {
    application = await startApplication();
    server = await start(application.port);
  });
  afterAll(async () => {
    await server?.stop();
    await application?.stop();
  });

  test('a request from the egress address reaches the application', async () => {
    const answer = await ask(server.port, '/any/path?with=query', { from: EGRESS, method: 'POST' });
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining(SECRET) });
  });

  test.each(['/', '/any/path', '/.propusk-refused', '/%61dmin', '//', '/.well-known/acme-challenge/../../'])(
    'a stranger does not reach the application: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await ask(server.port, path, { method });
        expect(answer.status).toBe(403);
        expect(answer.body).not.toContain(SECRET);
      }
    },
  );

  // An nginx `return` outside every location also answers the ACME path, which the lock allows, so this test does not apply.
  if (name.includes('returns')) return;
  test('a stranger does not reach the application under the path of ACME challenges', async () => {
    const paths = ['/.well-known/acme-challenge/absent', `${ACME_FILE}?rest_route=/users`];
    // The LiteSpeed lock allows requests for an existing challenge file, so ACME_FILE is tested only on other servers.
    if (!name.startsWith('LiteSpeed')) paths.push(ACME_FILE);
    for (const path of paths) {
      for (const header of ['X-Original-URL: /admin', 'X-HTTP-Method-Override: POST', 'Accept: */*']) {
        const answer = await ask(server.port, path, { headers: [header] });
        expect(answer.body).not.toContain(SECRET);
      }
    }
  });
});
