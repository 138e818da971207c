import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { platformState } from '@propusk/contract/state';
import { sayState } from '@propusk/phrases/state';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { startApi } from '@propusk/test-kit/api/api';
import { openInbox } from '@propusk/test-kit/api/inbox';
import { freePort } from '@propusk/test-kit/daemon';
import { mountSmallDisk } from '@propusk/test-kit/faults/small-disk';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { openTunnel } from '@propusk/test-kit/gateway/client';
import { startWholeProduct, type WholeProduct } from '@propusk/test-kit/gateway/whole-product';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { readConfig } from '../config.ts';
import { examine } from './examine.ts';

/** Causes real faults of a server. examine() must report each fault and explain the repair, until the fault is repaired. */

let product: WholeProduct;
let folder: string;
let sound: NodeJS.ProcessEnv;
const servers: { close(): unknown }[] = [];
beforeAll(async () => {
  product = await startWholeProduct(inject('serverUrl'), 256);
  folder = await mkdtemp(join(tmpdir(), 'propusk-state-'));
  const backups = join(folder, 'backups');
  await mkdir(backups);
  await writeFile(join(backups, 'daily-1.backup'), '');
  const inbox = await openInbox();
  servers.push(inbox);
  sound = {
    PORT: String(product.apiPort),
    GATEWAY_PORT: String(product.gateway.port),
    DATA_DIR: folder,
    PROPUSK_BACKUPS: backups,
    SMTP_URL: inbox.url,
    ACME_DIRECTORY: await dateServer(0),
  };
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * Starts an HTTPS server whose `Date` header is late by `seconds`. The server's certificate is untrusted, because on
 * a machine with a wrong clock even valid certificates fail.
 */
async function dateServer(seconds: number): Promise<string> {
  const certificate = await makeCertificate('IP:127.0.0.1');
  await certificate.remove();
  const server = createHttps(certificate, (_, res) => {
    res.setHeader('date', new Date(Date.now() - seconds * 1_000).toUTCString());
    res.end();
  });
  return `https://127.0.0.1:${await listening(server)}/`;
}

/** Starts an HTTPS server at 0.0.0.0, an address that reaches this machine but does not count as loopback. */
async function tlsServer(days: number): Promise<string> {
  const [key, cert] = [join(folder, `key-${days}`), join(folder, `cert-${days}`)];
  await promisify(execFile)('/usr/bin/openssl', [
    ...[
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      String(days),
    ],
    ...['-subj', '/CN=a', '-addext', 'subjectAltName=IP:0.0.0.0', '-keyout', key, '-out', cert],
  ]);
  const server = createHttps({ key: await readFile(key), cert: await readFile(cert) }, (_, res) => res.end());
  return `https://0.0.0.0:${await listening(server)}`;
}

async function found(changes: NodeJS.ProcessEnv = {}, { db = true } = {}) {
  const env = { ...sound, ...changes };
  const findings = await examine({
    // The config omits ACME_DIRECTORY, because readConfig rejects the http URL that one test case sets.
    config: readConfig({ ...env, ACME_DIRECTORY: undefined }),
    env,
    db: db ? product.database.db : null,
    fault: 'gone',
  });
  for (const finding of findings) {
    const { title, text, mend } = sayState(finding);
    expect(`${title} ${text} ${mend ?? ''}`).not.toMatch(/undefined|NaN|\[object/);
    if (finding.level === 'warning' || finding.level === 'error')
      expect(mend, finding.code).toMatch(/^[А-ЯЁA-Z].*\.$/s);
  }
  return findings.map(({ code, level }) => `${level} ${code}`);
}

const query = (text: string) => product.database.pool.query(text);
const opened = {
  PUBLIC_URL: 'https://0.0.0.0:9',
  GATEWAY_HOST: '0.0.0.0',
  GATEWAY_PUBLIC_URL: 'https://0.0.0.0:9',
  TRUST_PROXY: '127.0.0.1',
  GATEWAY_TLS_CERT: '/cert.pem',
};

test('a server without faults has only findings of level ok', async () => {
  expect(await found()).toEqual(
    [
      'console_up',
      'database_up',
      'gateway_up',
      'mail_sent',
      'backup_fresh',
      'disk_free',
      'clock_right',
      'settings_fit',
    ].map((code) => `ok ${code}`),
  );
});

const faults: [string, () => Promise<NodeJS.ProcessEnv> | NodeJS.ProcessEnv, string][] = [
  [
    'nothing listens on the port of the console',
    async () => ({ PORT: String(await freePort()) }),
    'error console_down',
  ],
  [
    'another program has the port of the console',
    async () => ({ PORT: String(await listening(createHttp((_, res) => res.end('hi')))) }),
    'error console_foreign',
  ],
  [
    'nothing listens on the port of the gateway',
    async () => ({ GATEWAY_PORT: String(await freePort()) }),
    'error gateway_down',
  ],
  [
    'another program has the port of the gateway',
    async () => ({ GATEWAY_PORT: String(await listening(createServer((socket) => socket.end()))) }),
    'error gateway_foreign',
  ],
  [
    'the key of the console is not readable',
    () => ({ TLS_CERT: '/nowhere/cert.pem' }),
    'error key_unreadable',
  ],
  [
    'DNS has no address for the name',
    () => ({ ...opened, PUBLIC_URL: 'https://console.invalid' }),
    'error name_missing',
  ],
  ['nothing answers at the address of the name', () => opened, 'warning unreached'],
  [
    'the certificate expires in 5 days',
    async () => ({ ...opened, PUBLIC_URL: await tlsServer(5) }),
    'warning certificate_ends',
  ],
  [
    'browsers refuse the certificate',
    async () => ({ ...opened, PUBLIC_URL: await tlsServer(60) }),
    'error certificate_refused',
  ],
  [
    'the console is open without TLS',
    () => ({ ...opened, PUBLIC_URL: 'http://0.0.0.0:9' }),
    'error settings_plain',
  ],
  [
    'the gateway is open without TLS',
    () => ({ ...opened, GATEWAY_PUBLIC_URL: 'http://0.0.0.0:9' }),
    'warning settings_gateway_plain',
  ],
  [
    'the gateway listens on loopback, the console does not',
    () => ({ ...opened, GATEWAY_HOST: '' }),
    'error settings_gateway_local',
  ],
  [
    "the gateway's URL is https, and the gateway has no certificate",
    () => ({ ...opened, GATEWAY_TLS_CERT: '' }),
    'error settings_gateway_bare',
  ],
  [
    'https without a certificate or a trusted proxy',
    () => ({ ...opened, TRUST_PROXY: '' }),
    'warning settings_trust',
  ],
  ['a setting is misspelled', () => ({ UNKNOWN_SETTINGS: 'PUBLIK_URL' }), 'warning settings_unknown'],
  [
    'the mail server is unreachable',
    async () => ({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` }),
    'error mail_refused',
  ],
  ['there is no mail server', () => ({ ...opened, SMTP_URL: '' }), 'warning mail_folder'],
  ['there is no mail server, on loopback', () => ({ SMTP_URL: '' }), 'ok mail_local'],
  [
    'the folder of the backups does not exist',
    () => ({ PROPUSK_BACKUPS: join(folder, 'nowhere') }),
    'unknown backup_unseen',
  ],
  [
    'the clock is ten minutes fast',
    async () => ({ ACME_DIRECTORY: await dateServer(600) }),
    'error clock_off',
  ],
  [
    'the server for comparing the clock is unreachable',
    async () => ({ ACME_DIRECTORY: `http://127.0.0.1:${await freePort()}/` }),
    'unknown clock_unseen',
  ],
  ['no vantage is present', () => opened, 'unknown outside_unseen'],
  [
    'there is no backup',
    async () => {
      const empty = await mkdtemp(join(folder, 'no-'));
      return { PROPUSK_BACKUPS: empty };
    },
    'warning backup_missing',
  ],
  [
    'the last backup is two days old',
    async () => {
      const old = await mkdtemp(join(folder, 'old-'));
      await writeFile(join(old, 'a.backup'), '');
      await utimes(join(old, 'a.backup'), 0, Date.now() / 1_000 - 48 * 3_600);
      return { PROPUSK_BACKUPS: old };
    },
    'warning backup_old',
  ],
  [
    'the last backup failed its verification',
    async () => {
      const bad = await mkdtemp(join(folder, 'bad-'));
      await writeFile(join(bad, 'a.backup'), '');
      await writeFile(join(bad, 'last-trial'), 'a.backup failed\n');
      return { PROPUSK_BACKUPS: bad };
    },
    'error backup_bad',
  ],
  [
    'the disk is full',
    async () => {
      const small = await mkdtemp(join(folder, 'small-'));
      const disk = mountSmallDisk(small, '8m');
      undo.push(disk.unmount);
      return { DATA_DIR: small };
    },
    'error disk_low',
  ],
  [
    'a mail is stuck in the outbox',
    async () => {
      await query(`insert into mails (id, sealed, has_link, expires_at, due_at, tries, failure)
        values (gen_random_uuid(), '', true, now() + interval '1 hour', now() + interval '1 hour', 3, 'login')`);
      undo.push(() => query('delete from mails'));
      return {};
    },
    'error mail_stuck',
  ],
  [
    'records of access are lost',
    async () => {
      await query(`insert into records (id, started_at, up, down, ms, run, count, port, kind, state, reason, address, host)
        values (gen_random_uuid(), now(), 0, 0, 0, 0, 12, 0, 'loss', 'closed', 'capped', '', '')`);
      undo.push(() => query("delete from records where kind = 'loss'"));
      return {};
    },
    'warning records_lost',
  ],
  [
    'a site is on another port of this server',
    async () => {
      await product.company('wiki.company.test', product.origin);
      await query(
        "update sites set address = 'panel.company.test:8080' where id = (select max(id) from sites)",
      );
      undo.push(() => query("delete from sites where address = 'panel.company.test:8080'"));
      return { GATEWAY_HOSTS: 'panel.company.test=203.0.113.5', GATEWAY_OWN_ADDRESSES: '203.0.113.5' };
    },
    'warning own_machine',
  ],
  [
    'the egress address of a proxy changed',
    async () => {
      await product.company('crm.company.test', product.origin);
      await query(
        `insert into proxy_learning (owner_id, proxy_id, moved_at) select owner_id, id, now() from proxies where direct`,
      );
      undo.push(() => query('delete from proxy_learning'));
      return {};
    },
    'warning egress_moved',
  ],
];

test.each(faults)('%s: examine() reports the fault until the repair', async (_, fault, expected) => {
  expect(await found(await fault())).toContain(expected);
  for (const step of undo.splice(0).toReversed()) await step();
  expect(await found()).not.toContain(expected);
});

test('gateways with open visits are reported as late when they send no update for 3 minutes', async () => {
  const { agent, host } = await product.company('foreign.company.test', product.origin);
  const tunnel = await openTunnel(product.gateway.port, agent.who, host);
  const load = async () => (await found()).filter((line) => line.includes('gateways_'));
  // The test polls, because the gateway reports a new visit with a delay.
  await expect.poll(load).toEqual(['ok gateways_busy']);
  await query("update record_runs set seen_at = now() - interval '3 minutes'");
  expect(await load()).toEqual(['warning gateways_late']);
  tunnel.socket.destroy();
  await expect.poll(load).toEqual([]);
});

test('an unreachable database is reported, and the other checks still run', async () => {
  const without = await found({}, { db: false });
  expect(without).toContain('error database_down');
  expect(without).toContain('ok gateway_up');
});

test('an ADMIN reads the findings as sentences, and an owner gets 403', async () => {
  const api = await startApi(inject('serverUrl'));
  const admin = await createAdmin(api);
  const { version, findings } = await api.must(admin, platformState);
  expect(version).toMatch(/^\d/);
  expect(findings.find(({ code }) => code === 'console_down')).toMatchObject({
    level: 'error',
    mend: expect.stringContaining('systemctl start propusk'),
  });
  expect(await api.call((await api.company()).token, platformState)).toMatchObject({ status: 403 });
  await api.close();
});
