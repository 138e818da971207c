import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Programs of Debian that the tests and the demo use for real: where each stands, and the package that brings it. */
export const programs = {
  chromium: '/usr/bin/chromium',
  apache2: '/usr/sbin/apache2',
  nginx: '/usr/sbin/nginx',
  caddy: '/usr/bin/caddy',
  'firefox-esr': '/usr/bin/firefox-esr',
  squid: '/usr/sbin/squid',
  tinyproxy: '/usr/bin/tinyproxy',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
  openssl: '/usr/bin/openssl',
  curl: '/usr/bin/curl',
  jq: '/usr/bin/jq',
};
export type DebianPackage = keyof typeof programs;

/** What is not installed here of the packages asked for. */
function missingPackages(wanted: DebianPackage[]): DebianPackage[] {
  return wanted.filter((name) => !existsSync(programs[name]));
}

/**
 * Installs the packages that are missing, when we may.
 * @throws Error with one Russian line that names the command to run, when we may not or it fails
 */
export async function installPackages(wanted: DebianPackage[], say: (line: string) => void): Promise<void> {
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  const byHand = new Error(`Не хватает программ: ${missing.join(', ')}. Установите их: ${command}`);
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw byHand;
  say(`Устанавливаю из Debian: ${missing.join(', ')}…`);
  await withoutServices(async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    try {
      await run('apt-get', ['update', '-qq'], { env });
      await run('sh', ['-c', command], { env, maxBuffer: 64 * 1024 * 1024 });
    } catch {
      throw byHand;
    }
  });
}

/** Debian starts a server when it installs one; ours are started by the tests, and nothing else may take a port. */
async function withoutServices(work: () => Promise<void>): Promise<void> {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return work();
  await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await work();
  } finally {
    await rm(policy, { force: true });
  }
}
