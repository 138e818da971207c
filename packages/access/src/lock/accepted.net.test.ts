import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Snippet } from '@propusk/contract/lock';
import { freePort, openFolder } from '@propusk/test-kit/daemon';
import { APACHE, apacheConf } from '@propusk/test-kit/locks/apache';
import { CADDY } from '@propusk/test-kit/locks/caddy';
import { NGINX, nginxArguments, nginxConf } from '@propusk/test-kit/locks/nginx';
import { put } from '@propusk/test-kit/locks/site';
import { describe, expect, test } from 'vitest';
import { lockSnippets } from './snippets.ts';

/** Runs the configuration check of each supported web server on locks that contain Cloudflare's real networks. */

const run = promisify(execFile);

const many = Array.from({ length: 60 }, (_, index) => `198.51.100.${index + 1}`);
const cases: [string, string[]][] = [
  ['crm.example.ru', ['203.0.113.5']],
  ['*.example.ru', ['203.0.113.5', '2001:db8::5']],
  ['crm.example.ru:8443', ['2001:db8::5']],
  ['xn--80a1acny.xn--e1afmkfd.xn--p1ai', many],
  [`${'long-label-of-a-site-'.repeat(2)}x.${'y'.repeat(60)}.${'z'.repeat(60)}.example.ru`, ['203.0.113.5']],
];

/** Checks a lock with its web server. @throws Error with the server's output when the server rejects the lock */
async function judge({ kind, text }: Snippet): Promise<unknown> {
  const folder = await openFolder('lock-check');
  const port = await freePort();
  try {
    switch (kind) {
      case 'apache':
      case 'apache-cdn':
      case 'litespeed':
      case 'htaccess':
      case 'htaccess-cdn': {
        await put(join(folder, 'site', 'index.html'), '');
        await put(join(folder, 'apache.conf'), apacheConf(folder, port, { host: text }));
        return await run(APACHE, ['-t', '-f', join(folder, 'apache.conf')]);
      }
      case 'nginx':
      case 'nginx-cdn': {
        await put(join(folder, 'nginx.conf'), nginxConf(folder, port, { lock: text }));
        return await run(NGINX, ['-t', ...nginxArguments(folder)]);
      }
      case 'caddy':
      case 'caddy-cdn': {
        await put(join(folder, 'Caddyfile'), text);
        const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
        const args = ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
        return await run(CADDY, args, { env });
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.each(cases)('%s', (address, egress) => {
  test.each(lockSnippets({ address, egress }))(
    'the server accepts the lock configuration for $kind',
    async (snippet) => {
      await expect(judge(snippet)).resolves.toBeDefined();
    },
  );
});

test.each(lockSnippets({ address: 'crm.example.ru', egress: ['203.0.113.5'] }))(
  'the server rejects a broken lock configuration for $kind',
  async (snippet) => {
    await expect(judge({ ...snippet, text: `${snippet.text}\nbroken {\n` })).rejects.toThrow(
      'Command failed',
    );
  },
);
