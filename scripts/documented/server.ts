import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { startPebble } from '@propusk/test-kit/api/pebble';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { startNameServer } from '@propusk/test-kit/gateway/dns';
import { nginxArguments, nginxMain } from '@propusk/test-kit/locks/nginx';

export interface Server {
  readonly inbox: Inbox;
  /** The certificate of the site. */
  readonly cert: Certificate;
  /** The URL of the CA's directory. */
  readonly directory: string;
}

/** Addresses of the public internet. The tree has a network of its own, so that nothing reaches their owners. */
export const addresses = { server: '5.45.200.1', site: '5.45.200.2', home: '5.45.200.3' };
const trusted = '/etc/ssl/certs/ca-certificates.crt';
const siteFolder = '/srv/site';

/** Runs a program in one of the other networks. */
export const within = (network: string, ...command: string[]) => ['netns', 'exec', network, ...command];

/** Writes the configuration of the site's nginx. @param lock lines for `http { }` and `server { }` */
export function writeSite(cert: Certificate, lock = { http: '', server: '' }): void {
  writeFileSync(
    join(siteFolder, 'nginx.conf'),
    nginxMain(
      siteFolder,
      `${lock.http}
  server {
    listen 80;
    listen 443 ssl;
    server_name crm.example.ru;
    ssl_certificate ${cert.certPath};
    ssl_certificate_key ${cert.keyPath};
    root ${siteFolder};
    ${lock.server}
  }`,
    ),
  );
}

/**
 * Makes a server on the internet out of a throwaway tree with a network namespace of its own: two names in DNS, a CA that this machine
 * trusts, a mail server, a site on another machine, and a third machine at home. Real: DNS, pebble, SMTP, nginx. A stand-in: systemctl.
 */
export async function makeServer(): Promise<Server> {
  const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'br0', 'type', 'bridge');
  ip('addr', 'add', `${addresses.server}/24`, 'dev', 'br0');
  ip('link', 'set', 'br0', 'up');
  for (const network of ['site', 'home'] as const) {
    ip('netns', 'add', network);
    ip('link', 'add', `to-${network}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', network);
    ip('link', 'set', `to-${network}`, 'master', 'br0', 'up');
    ip('-n', network, 'addr', 'add', `${addresses[network]}/24`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) ip('-n', network, 'link', 'set', device, 'up');
  }
  rmSync('/etc/resolv.conf', { force: true });
  writeFileSync('/etc/resolv.conf', `nameserver ${addresses.server}\n`);
  const records: Record<string, string> = {
    'propusk.example.ru': addresses.server,
    'gw.propusk.example.ru': addresses.server,
    'crm.example.ru': addresses.site,
  };
  const at = { port: 53, address: addresses.server };
  await startNameServer((name) => [records[name] ?? []].flat(), 0, at);

  const pebble = await startPebble({ httpPort: 80 });
  const cert = await makeCertificate('DNS:crm.example.ru');
  const extra = `${await pebble.root()}\n${cert.cert}`;
  appendFileSync(trusted, `\n${extra}`);
  writeFileSync('/etc/extra-ca.pem', extra);
  writeFileSync('/etc/acme-ca.pem', pebble.ca);
  mkdirSync(siteFolder, { recursive: true });
  writeFileSync(join(siteFolder, 'index.html'), 'the site');
  writeSite(cert);
  spawn('ip', within('site', '/usr/sbin/nginx', ...nginxArguments(siteFolder)), { stdio: 'inherit' });

  // Node reads no CA of the machine.
  for (const unit of ['propusk', 'propusk-gateway']) {
    mkdirSync(`/etc/systemd/system/${unit}.service.d`, { recursive: true });
    writeFileSync(
      `/etc/systemd/system/${unit}.service.d/ca.conf`,
      '[Service]\nEnvironment=NODE_EXTRA_CA_CERTS=/etc/extra-ca.pem\n',
    );
  }
  mkdirSync('/etc/propusk', { recursive: true });
  mkdirSync('/run/systemd/system', { recursive: true });
  renameSync('/usr/bin/systemctl', '/usr/bin/systemctl.real');
  renameSync('/systemctl', '/usr/bin/systemctl');
  process.env.NODE_EXTRA_CA_CERTS = '/etc/extra-ca.pem';
  setDefaultCACertificates([...getCACertificates(), extra]);
  return { inbox: await openInbox(), cert, directory: pebble.directory };
}

/** Names the test's CA in the settings of the installed package. */
export function nameCa(directory: string): void {
  appendFileSync('/etc/propusk/propusk.env', `ACME_DIRECTORY=${directory}\nACME_CA=/etc/acme-ca.pem\n`);
}
