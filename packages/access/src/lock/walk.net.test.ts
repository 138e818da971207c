import { once } from 'node:events';
import { connect } from 'node:net';
import type { Daemon } from '@propusk/test-kit/daemon';
import { startApache } from '@propusk/test-kit/locks/apache';
import { startCaddy } from '@propusk/test-kit/locks/caddy';
import { EGRESS, OUTSIDE } from '@propusk/test-kit/locks/curl';
import { startNginx } from '@propusk/test-kit/locks/nginx';
import { lockOf, SECRET, SITE } from '@propusk/test-kit/locks/site';
import { describe, expect, test } from 'vitest';

/** Requests random paths from servers with a lock. The paths consist of fragments that attackers use to bypass access rules. */

const pieces = [
  ...[
    '..',
    '.',
    '',
    '%2e%2e',
    '.%2e',
    '%2E',
    '..;',
    '..%2f',
    '%2f',
    '%5c',
    '\\',
    '%00',
    '%0a',
    '%20',
    '%25%32%65',
  ],
  ...['.well-known', '%2ewell-known', 'acme-challenge', 'acme-challenge', 'Ab3_x-9', 'page.html', 'absent'],
  ...['private.txt', 'index.php', 'admin', 'child', '.propusk-refused', '?x=1', ';x', '#x', '*', '~', ':80'],
];
const WALKS = 600;

/** The same pseudo-random paths in every run (Numerical Recipes' generator), so that a failure is reproducible. */
function paths(): string[] {
  let state = 20261121;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: WALKS }, () => {
    const start = next(3) === 0 ? '/' : '/.well-known/acme-challenge/';
    const rest = Array.from({ length: 1 + next(6) }, () => pieces[next(pieces.length)] ?? '');
    return start + rest.join(next(4) === 0 ? '' : '/');
  });
}

/** Sends a request line unchanged, and reads the whole response. */
async function raw(port: number, from: string, path: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, localAddress: from });
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  // Ignores socket errors, because the server can reset the connection after its response.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(5000, () => socket.destroy());
  socket.end(`GET ${path} HTTP/1.1\r\nHost: ${SITE}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return answer;
}

const cms =
  'RewriteEngine On\nRewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f\nRewriteRule . /index.php [L]\n';
const servers: Record<string, () => Promise<Daemon>> = {
  'Apache .htaccess': () =>
    startApache({ htaccess: lockOf('htaccess', [EGRESS]) + cms, allowOverride: 'All' }),
  'Apache vhost': () => startApache({ host: cms + lockOf('apache', [EGRESS]) }),
  nginx: () =>
    startNginx({
      lock: lockOf('nginx', [EGRESS]),
      server: 'error_page 404 403 = /index.php; location / { try_files $uri $uri/ /index.php; }',
    }),
  Caddy: () =>
    startCaddy({ lock: lockOf('caddy', [EGRESS]), block: 'try_files {path} /index.php\nfile_server' }),
  'LiteSpeed rules': () =>
    startApache({ htaccess: lockOf('litespeed', [EGRESS]) + cms, allowOverride: 'All' }),
};

describe.each(Object.entries(servers))('%s', (_, start) => {
  test(`${WALKS} random paths reveal no page to a stranger`, async () => {
    const server = await start();
    try {
      let read = 0;
      for (const path of paths()) {
        const outside = await raw(server.port, OUTSIDE, path);
        expect(outside, path).not.toContain(SECRET);
        expect(outside, path).toMatch(/^HTTP\/1\.1 (200 OK[^]*Ab3_x-9\.thumbprint$|400 |403 |404 )/);
        if ((await raw(server.port, EGRESS, path)).includes(SECRET)) read += 1;
      }
      // The test is useful only if an allowed visitor gets a page at many of the random paths.
      expect(read).toBeGreaterThan(WALKS / 10);
    } finally {
      await server.stop();
    }
  });
});
