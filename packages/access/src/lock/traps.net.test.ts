import type { Daemon } from '@propusk/test-kit/daemon';
import { startCaddy } from '@propusk/test-kit/locks/caddy';
import { ask, EGRESS } from '@propusk/test-kit/locks/curl';
import { startNginx } from '@propusk/test-kit/locks/nginx';
import { ACME_FILE, lockOf, SECRET } from '@propusk/test-kit/locks/site';
import { describe, expect, test } from 'vitest';
import { lockSnippets } from './snippets.ts';

/** Configurations of nginx and Caddy that bypass a common simple lock, but not ours. */

async function statuses(server: Daemon, paths: readonly string[], headers: string[] = []): Promise<number[]> {
  try {
    const all: number[] = [];
    for (const path of paths) all.push((await ask(server.port, path, { headers })).status);
    return all;
  } finally {
    await server.stop();
  }
}

describe('nginx', () => {
  const lock = lockOf('nginx', [EGRESS]);
  const bare = `allow ${EGRESS}; deny all;`;

  test('an nginx location with return or allow bypasses a plain `deny all`, but not our lock', async () => {
    const owner = `
      location = /said { return 200 "${SECRET}"; }
      location /child/ { allow all; }`;
    const paths = ['/', '/said', '/child/'];
    expect(await statuses(await startNginx({ server: bare + owner }), paths)).toEqual([403, 200, 200]);
    expect(await statuses(await startNginx({ lock, server: owner }), paths)).toEqual([403, 403, 403]);
  });

  test('error_page redirects a plain denial to a named location, but not a denial by our lock', async () => {
    const owner = `
      error_page 403 = @app;
      location @app { try_files /private.txt =404; }`;
    const byReturn = lock.replace(/rewrite \S+ \S+ last;/, 'return 403;');
    expect(byReturn).not.toBe(lock);
    expect(await statuses(await startNginx({ lock: byReturn, server: owner }), ['/admin/'])).toEqual([200]);
    expect(await statuses(await startNginx({ lock, server: owner }), ['/admin/'])).toEqual([403]);
  });

  test("the lock denies a request that the site's own ACME location passes to the application", async () => {
    const own = lock.replace(/location \^~ [^}]*\}/, '');
    expect(own).not.toBe(lock);
    const owner = `
      error_page 404 = /index.php;
      location /.well-known/acme-challenge/ { try_files $uri /index.php; }
      location / { }`;
    const server = await startNginx({ lock: own, server: owner });
    try {
      expect((await ask(server.port, ACME_FILE)).status).toBe(200);
      const answer = await ask(server.port, '/.well-known/acme-challenge/absent');
      expect(answer.status).toBe(403);
      expect(answer.body).not.toContain(SECRET);
    } finally {
      await server.stop();
    }
  });

  test('a denial by our lock is text/plain, whatever the default_type of the site', async () => {
    const server = await startNginx({ lock, server: 'default_type application/octet-stream;' });
    try {
      const { status, body } = await ask(server.port, '/admin/', { method: 'HEAD' });
      expect(status).toBe(403);
      expect(body).toMatch(/^Content-Type: text\/plain/im);
    } finally {
      await server.stop();
    }
  });

  test('real_ip_header with every network trusted bypasses our lock, a documented limitation', async () => {
    const owner = (from: string) => `set_real_ip_from ${from}; real_ip_header X-Forwarded-For;`;
    const lie = [`X-Forwarded-For: ${EGRESS}`];
    expect(await statuses(await startNginx({ lock, server: owner('0.0.0.0/0') }), ['/'], lie)).toEqual([200]);
    expect(await statuses(await startNginx({ lock, server: owner('127.0.0.9') }), ['/'], lie)).toEqual([403]);
  });

  test('two sites on one server have independent locks', async () => {
    const snippets = lockSnippets({ address: 'other.example.test', egress: ['127.0.0.6'] });
    const other = snippets.find(({ kind }) => kind === 'nginx')?.text ?? '';
    const http = other.slice(0, other.indexOf('# 2. '));
    const server = await startNginx({ lock: http + lock });
    try {
      expect((await ask(server.port, '/', { from: '127.0.0.6' })).status).toBe(403);
      expect((await ask(server.port, '/', { from: EGRESS })).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});

test('in Caddy, a handle directive of the site bypasses a plain respond, but not our lock', async () => {
  const owner = 'handle /said {\n respond "said" 200\n}\nhandle {\n file_server\n}';
  const bare = `@out not remote_ip ${EGRESS}\nrespond @out 403\n`;
  const paths = ['/said', '/private.txt'];
  expect(await statuses(await startCaddy({ block: bare + owner }), paths)).toEqual([200, 200]);
  const lock = lockOf('caddy', [EGRESS]);
  expect(await statuses(await startCaddy({ lock, block: owner }), paths)).toEqual([403, 403]);
});
