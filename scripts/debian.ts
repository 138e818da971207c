import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { scriptPhrases } from '@propusk/phrases/launcher';

const run = promisify(execFile);

/** The Debian packages that tests and demo use, each with the path of its program. */
export const programs = {
  chromium: '/usr/bin/chromium',
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  apache2: '/usr/sbin/apache2',
  nginx: '/usr/sbin/nginx',
  caddy: '/usr/bin/caddy',
  haproxy: '/usr/sbin/haproxy',
  'firefox-esr': '/usr/bin/firefox-esr',
  squid: '/usr/sbin/squid',
  rsyslog: '/usr/sbin/rsyslogd',
  'rsyslog-openssl': '/var/lib/dpkg/info/rsyslog-openssl.list',
  'rsyslog-relp': '/var/lib/dpkg/info/rsyslog-relp.list',
  stunnel4: '/usr/bin/stunnel4',
  logrotate: '/usr/sbin/logrotate',
  lighttpd: '/usr/sbin/lighttpd',
  tinyproxy: '/usr/bin/tinyproxy',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
  openssl: '/usr/bin/openssl',
  pebble: '/usr/bin/pebble',
  gpg: '/usr/bin/gpg',
  'gpg-agent': '/usr/bin/gpg-agent',
  gpgv: '/usr/bin/gpgv',
  curl: '/usr/bin/curl',
  jq: '/usr/bin/jq',
  libfaketime: '/var/lib/dpkg/info/libfaketime:amd64.list',
  podman: '/usr/bin/podman',
  'podman-compose': '/usr/bin/podman-compose',
  runc: '/usr/sbin/runc',
  catatonit: '/usr/bin/catatonit',
  mmdebstrap: '/usr/bin/mmdebstrap',
};
export type DebianPackage = keyof typeof programs;

function missingPackages(wanted: DebianPackage[]): DebianPackage[] {
  return wanted.filter((name) => !existsSync(programs[name]));
}

/**
 * Installs the missing packages. It needs root and Debian.
 * @throws Error with a line that names the command to run by hand, when it may not install or the installation fails
 */
export async function installPackages(wanted: DebianPackage[], say: (line: string) => void): Promise<void> {
  const missing = missingPackages(wanted);
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  const byHand = new Error(scriptPhrases.programsMissing(missing, command));
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw byHand;
  say(scriptPhrases.installingPrograms(missing));
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

/** Prevents Debian from starting the installed servers: they would occupy ports that the tests use. */
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
