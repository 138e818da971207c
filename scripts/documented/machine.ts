import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { type Pebble, startPebble } from '@propusk/test-kit/api/pebble';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { startNameServer } from '@propusk/test-kit/gateway/dns';

/** What the runner needs of the machine. `site` is the site of the pages, until it is closed. */
export interface Machine {
  readonly inbox: Inbox;
  readonly pebble: Pebble;
  readonly site: { close(): unknown };
}

/** Public addresses. The tree has a network of its own, so that nothing reaches their owners. */
const [server, site] = ['5.45.200.1', '5.45.200.2'];
const caFile = '/etc/extra-ca.pem';

/**
 * Makes a server on the internet out of a throwaway tree with a network namespace: the names of the pages in DNS, a CA that this machine
 * trusts, a mail server, and a site. Real: DNS, pebble, SMTP. A stand-in: systemctl.
 */
export async function makeMachine(): Promise<Machine> {
  const ip = (...args: string[]) => execFileSync('ip', args);
  ip('link', 'set', 'lo', 'up');
  for (const address of [server, site]) ip('addr', 'add', `${address}/32`, 'dev', 'lo');
  const records: Record<string, string[]> = {
    'propusk.example.ru': [server],
    'gw.propusk.example.ru': [server],
    'crm.example.ru': [site],
  };
  await startNameServer((name) => records[name] ?? [], 0, { port: 53, address: server });
  // It may be a link to a file outside the tree.
  rmSync('/etc/resolv.conf', { force: true });
  writeFileSync('/etc/resolv.conf', `nameserver ${server}\n`);

  const pebble = await startPebble({ httpPort: 80 });
  const certificate = await makeCertificate('DNS:crm.example.ru');
  writeFileSync(caFile, `${await pebble.root()}\n${certificate.cert}`);
  // For curl; Node does not read the CAs of the machine.
  appendFileSync('/etc/ssl/certs/ca-certificates.crt', certificate.cert);
  process.env.NODE_EXTRA_CA_CERTS = caFile;
  const dropIn = '/etc/systemd/system/propusk.service.d';
  mkdirSync(dropIn, { recursive: true });
  writeFileSync(`${dropIn}/ca.conf`, `[Service]\nEnvironment=NODE_EXTRA_CA_CERTS=${caFile}\n`);

  mkdirSync('/run/systemd/system', { recursive: true });
  renameSync('/usr/bin/systemctl', '/usr/bin/systemctl.real');
  renameSync('/systemctl', '/usr/bin/systemctl');
  const crm = createServer(certificate, (_, reply) => reply.end('the site')).listen(443, site);
  return { inbox: await openInbox(), pebble, site: crm };
}

/** Lets the installed package get its certificates from the CA of the machine. */
export function nameCa({ directory, ca }: Pebble): void {
  writeFileSync('/etc/acme-ca.pem', ca);
  appendFileSync('/etc/propusk/propusk.env', `ACME_DIRECTORY=${directory}\nACME_CA=/etc/acme-ca.pem\n`);
}
