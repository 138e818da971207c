import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { setupPhrases } from '@propusk/phrases/setup';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { type Pebble, startPebble } from '@propusk/test-kit/api/pebble';
import { freePort, openFolder } from '@propusk/test-kit/daemon';
import { asRoot, canPlayOrdinary } from '@propusk/test-kit/embedded/scratch';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { type NameServer, startNameServer } from '@propusk/test-kit/gateway/dns';
import { nginxMain, runNginx } from '@propusk/test-kit/locks/nginx';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildConsole } from '../build-console.ts';
import { buildExtension } from '../build-extension.ts';

/** The command of the package runs `propusk setup` on the checkout. Real: the product, the CA pebble, nginx, SMTP, DNS. A stand-in: systemctl. */
const DOMAIN = 'propusk.example.ru';
const ADMIN = 'you@example.ru';
const own = ['--address', '127.0.0.1', '--wait', '180'];
/** The user of nginx in the tests, so that setup may see whose port it is. */
const user = asRoot ? { uid: 33, gid: 33 } : {};

let certificate: Certificate;
let root: string;
let pebble: Pebble;
/** The CA that setup trusts. */
let trust: string;
let inbox: Inbox;
let names: NameServer;
let records: Record<string, string[]>;
let ports: { PORT: number; HTTPS_PORT: number; HTTP_PORT: number; GATEWAY_PORT: number };

beforeAll(async () => {
  await buildConsole(() => undefined);
  await buildExtension(() => undefined);
  certificate = await makeCertificate(`DNS:${DOMAIN}`, `DNS:gw.${DOMAIN}`);
  chmodSync(certificate.certPath, 0o644);
  chmodSync(resolve(certificate.certPath, '..'), 0o755);
}, 300_000);
afterAll(() => certificate.remove());

beforeEach(async () => {
  ports = {
    PORT: await freePort(),
    HTTPS_PORT: await freePort(),
    HTTP_PORT: await freePort(),
    GATEWAY_PORT: await freePort(),
  };
  records = { [DOMAIN]: ['127.0.0.1'], [`gw.${DOMAIN}`]: ['127.0.0.1'] };
  names = await startNameServer((name) => records[name] ?? []);
  inbox = await openInbox();
  root = await openFolder('setup');
  const home = join(root, 'lib/propusk');
  for (const folder of ['bin', 'etc', 'data', 'backups', 'stand-in', 'lib/propusk/bin'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['apps', 'packages', 'node_modules', 'deploy'])
    symlinkSync(resolve(name), join(home, name));
  symlinkSync(process.execPath, join(home, 'bin/node'));
  cpSync('deploy/debian/propusk', join(root, 'bin/propusk'));
  writeFileSync(join(root, 'etc/backup-passphrase'), 'correct horse battery\n', { mode: 0o644 });
  write(`# The owner's comment.
#PUBLIC_URL=https://propusk.example.ru
UNKNOWN="kept"
GATEWAY_DNS=${names.address}
${Object.entries(ports)
  .map(([name, port]) => `${name}=${port}\n`)
  .join('')}`);
  await startCa(ports.HTTP_PORT);
  // `restart` and `start` of the service, without systemd.
  writeFileSync(
    join(root, 'stand-in/systemctl'),
    `#!/bin/sh
pid=$(cat ${root}/data/pid 2>/dev/null)
case $* in show*) exit 0 ;; *is-active*) [ -n "$pid" ]; exit ;; esac
echo "$*" >>${root}/data/systemctl.log
case $* in
  restart?propusk.service|stop?propusk.service) if [ -n "$pid" ]; then kill "$pid"; while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done; fi ;;
  start?propusk.service) if [ -n "$pid" ]; then exit 0; fi ;;
  *) exit 0 ;;
esac
case $* in stop*) rm ${root}/data/pid; exit 0 ;; esac
setsid ${root}/bin/propusk start >>${root}/data/log 2>&1 </dev/null &
echo $! >${root}/data/pid
`,
    { mode: 0o755 },
  );
  writeFileSync(join(root, 'stand-in/journalctl'), `#!/bin/sh\ncat ${root}/data/log\n`, { mode: 0o755 });
  if (asRoot)
    for (const name of ['etc', 'data', 'backups', 'etc/propusk.env']) chownSync(join(root, name), 33, 33);
});

afterEach(async () => {
  const pid = Number(read('data/pid'));
  if (pid > 0) {
    // A product that could not start has ended.
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGTERM');
    for (let tries = 0; tries < 200 && existsSync(`/proc/${pid}`); tries += 1)
      await new Promise((done) => setTimeout(done, 50));
  }
  await pebble?.stop();
  await Promise.all([names.stop(), inbox.close()]);
  rmSync(root, { recursive: true, force: true });
});

const settings = () => read('etc/propusk.env');
const write = (content: string) => writeFileSync(join(root, 'etc/propusk.env'), content);
function read(name: string): string {
  return existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : '';
}
const log = () => read('data/systemctl.log').trim().split('\n');

function start(program: string, args: readonly string[]) {
  return spawn(program, args, {
    ...user,
    cwd: '/',
    env: {
      PATH: `${root}/stand-in:/usr/bin:/bin`,
      DATA_DIR: join(root, 'data/product'),
      TLS_DIR: join(root, 'data/tls'),
      PROPUSK_UNITS: join(root, 'data/units'),
      PROPUSK_ETC: join(root, 'etc'),
      PROPUSK_BACKUPS: join(root, 'backups'),
      NODE_EXTRA_CA_CERTS: trust,
    },
  });
}

/** Starts the CA that the settings name, and lets setup trust its root. @param httpPort where the CA looks for challenges */
async function startCa(httpPort: number): Promise<void> {
  await pebble?.stop();
  pebble = await startPebble({ httpPort });
  const [ca, trusted] = [join(root, 'etc/ca.pem'), join(root, 'etc/trusted.pem')];
  writeFileSync(ca, pebble.ca, { mode: 0o644 });
  writeFileSync(trusted, await pebble.root(), { mode: 0o644 });
  trust = trusted;
  write(`${settings().replace(/^ACME_.*\n/gm, '')}ACME_DIRECTORY=${pebble.directory}\nACME_CA=${ca}\n`);
}

/** Opens TLS to a name as a browser that trusts the CA. The gateway looks for its certificate every 5 s. */
async function trusts(name: string, port: number): Promise<void> {
  const ca = readFileSync(trust);
  await vi.waitFor(
    async () => {
      const socket = connectTls({ host: '127.0.0.1', port, servername: name, ca });
      await once(socket, 'secureConnect');
      socket.destroy();
    },
    { timeout: 60_000, interval: 100 },
  );
}

/** The words after `propusk` of a command in the pages «A server from zero», which are the same in both languages. */
function documented(command: string): string[] {
  const [line, ...others] = ['docs/operating/from-zero.md', 'docs/guide-ru/server.md'].map(
    (page) => new RegExp(`^ {4}propusk (${command}.*)$`, 'm').exec(readFileSync(page, 'utf8'))?.[1] ?? '',
  );
  expect(others).toEqual([line]);
  return (line ?? '').split(' ');
}

/** Runs `propusk setup` without a terminal. @returns the exit code and everything that it printed */
const setup = (...args: string[]) => setupWith('', ...args);
async function setupWith(input: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const child = start(join(root, 'bin/propusk'), ['setup', ...args]);
  child.stdin.end(input);
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code: code as number, said: out + errors };
}

/** Calls the api by the public URL of a link. */
async function call(path: string, body: object): Promise<number> {
  const url = `http://127.0.0.1:${ports.PORT}/api${path}`;
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}
const fragments = (said: string) =>
  [...said.matchAll(/https:\S+#(\S+)/g)].map(([, part]) => new URLSearchParams(part));

const canRun = canPlayOrdinary || !asRoot;

describe.skipIf(!canRun)(
  `propusk setup${canRun ? '' : ' (skipped: the checkout is in a private folder)'}`,
  () => {
    test('setup opens a server: settings, test mail, service, backups, and two links that work', async () => {
      const before = settings();
      // The command of the page «A server from zero», as written.
      const [, ...words] = documented('setup');
      expect(words).toEqual([DOMAIN, ADMIN]);
      const first = await setup(...words, ...own, '--smtp', inbox.url, '--yes');
      expect(first).toMatchObject({ code: 0, said: expect.stringContaining('correct horse battery') });
      expect((await inbox.take(ADMIN)).text).toContain(`https://${DOMAIN}:${ports.HTTPS_PORT}`);
      expect(first.said).toContain(setupPhrases.mailSent(ADMIN, '250'));
      expect(settings()).toContain(`# The owner's comment.
#PUBLIC_URL=https://propusk.example.ru
PUBLIC_URL=https://${DOMAIN}:${ports.HTTPS_PORT}
UNKNOWN="kept"`);
      const wanted = ['TLS=auto', 'REGISTRATION=invited', `ACME_MAIL=${ADMIN}`, `SMTP_URL=${inbox.url}`];
      expect(settings().split('\n')).toEqual(
        expect.arrayContaining([...wanted, `GATEWAY_PUBLIC_URL=https://gw.${DOMAIN}:${ports.GATEWAY_PORT}`]),
      );
      expect(settings()).not.toContain('PASSWORD');
      // Here setup does not run as root, so it cannot sign the extension, and ends without an error.
      expect(first.said).toContain('Запустите от root: sudo propusk extension');
      expect(log()).toEqual([
        'restart propusk.service',
        // A new GATEWAY_HOST needs a restart.
        'restart propusk-gateway.service',
        'enable --now propusk-backup.timer',
      ]);

      const [admin, company] = fragments(first.said);
      const password = 'correct horse';
      const names = { name: 'Owner', companyName: 'Company', companySite: 'company.test' };
      const owner = {
        ...names,
        password,
        email: company?.get('email'),
        invitation: company?.get('invitation'),
      };
      expect(await call('/auth/register', { token: admin?.get('token'), password })).toBe(204);
      expect(await call('/auth/login', { email: ADMIN, password })).toBe(200);
      expect(await call('/auth/registration', { ...owner, invitation: undefined })).toBe(403);
      expect(await call('/auth/registration', owner)).toBe(201);

      const listeners = { [DOMAIN]: ports.HTTPS_PORT, [`gw.${DOMAIN}`]: ports.GATEWAY_PORT };
      for (const [name, port] of Object.entries(listeners)) await trusts(name, port);

      const doctor = start(join(root, 'bin/propusk'), documented('doctor'));
      const found = await text(doctor.stdout);
      for (const line of ['✓ Консоль', '✓ База данных', '✓ Шлюз', '✓ Почта', `✗ Доступность ${DOMAIN}`])
        expect(found).toContain(line);

      const written = settings();
      const second = await setup(DOMAIN, ADMIN, ...own);
      expect(second).toMatchObject({
        code: 0,
        said: expect.stringContaining(setupPhrases.linksMadeBefore()),
      });
      expect([settings(), fragments(second.said), log()[3]]).toEqual([written, [], 'start propusk.service']);
      // Setup restores the settings of the previous mode when no client accepts the new certificate.
      const { certPath, keyPath } = certificate;
      chmodSync(keyPath, 0o644);
      const files = ['--tls', 'files', '--cert', certPath, '--key', keyPath];
      const refused = await setup(DOMAIN, ADMIN, ...own, ...files, '--yes');
      expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('самоподписанный') });
      expect([settings(), read('etc/propusk.env.previous')]).toEqual([written, before]);
      for (const [name, port] of Object.entries(listeners)) await trusts(name, port);

      const invited = await setup(DOMAIN, ADMIN, ...own, '--owner', 'second@example.ru', '--invite');
      const [again, other] = fragments(invited.said);
      expect([again?.get('for'), other?.get('email')]).toEqual(['password', 'second@example.ru']);

      expect(await setup('--undo')).toMatchObject({ code: 2 });
      expect(settings()).toBe(written);
      expect(await setup('--undo', '--yes')).toMatchObject({ code: 0 });
      expect([settings(), log().at(-2)]).toEqual([before, 'restart propusk.service']);
      // A second undo has no previous settings to restore.
      const undone = `${setupPhrases.nothingToUndo(join(root, 'etc/propusk.env.previous'))}\n`;
      expect(await setup('--undo', '--yes')).toEqual({ code: 1, said: undone });
      expect([settings(), read('etc/propusk.env.undone')]).toEqual([before, written]);
    });

    test('setup without a terminal and without --yes shows the changes and ends with 2', async () => {
      const before = settings();
      const { code, said } = await setup(DOMAIN, ADMIN, ...own);
      expect([code, settings(), log()]).toEqual([2, before, ['']]);
      expect(said).toContain('  + TLS=auto\n');
      expect(said).toContain(setupPhrases.needsYes());
    });

    test('setup waits for DNS, names each record that leads elsewhere, and changes nothing', async () => {
      records[DOMAIN] = ['127.0.0.1', '203.0.113.9'];
      const before = settings();
      const { code, said } = await setup(DOMAIN, ADMIN, '--address', '127.0.0.1', '--wait', '1', '--yes');
      expect([code, settings(), log()]).toEqual([1, before, ['']]);
      expect(said).toContain(setupPhrases.waitsForDns(DOMAIN, ['127.0.0.1', '203.0.113.9'], ['127.0.0.1']));
      expect(said).toContain(setupPhrases.dnsWrong([DOMAIN]));
    });

    test('setup goes on when the DNS record is corrected while it waits', async () => {
      records[DOMAIN] = [];
      const running = setup(DOMAIN, ADMIN, '--address', '127.0.0.1', '--wait', '20');
      while (names.asked() < 2) await new Promise((done) => setTimeout(done, 20));
      records[DOMAIN] = ['127.0.0.1'];
      expect(await running).toMatchObject({ code: 2, said: expect.stringContaining('  + TLS=auto\n') });
    });

    test('setup with files of a certificate gives them to console and gateway, and refuses an absent one', async () => {
      const { certPath, keyPath } = certificate;
      chmodSync(keyPath, 0o644);
      const files = ['--tls', 'files', '--cert', certPath, '--key'];
      const { said } = await setup(DOMAIN, ADMIN, ...own, ...files, keyPath);
      const lines = ['TLS=files', `TLS_CERT=${certPath}`, `TLS_KEY=${keyPath}`];
      const forGateway = [`GATEWAY_TLS_CERT=${certPath}`, `GATEWAY_TLS_KEY=${keyPath}`];
      expect(said.split('\n')).toEqual(
        expect.arrayContaining([...lines, ...forGateway].map((line) => `  + ${line}`)),
      );
      const absent = await setup(DOMAIN, ADMIN, ...own, ...files, '/absent.pem', '--yes');
      expect(absent).toMatchObject({
        code: 1,
        said: expect.stringContaining(setupPhrases.noFile('/absent.pem')),
      });
    });

    test('setup names an argument that does not fit, and a port of the gateway that another program has', async () => {
      const unfit = { code: 1, said: `${setupPhrases.unfit.domain('nodots')}\n` };
      expect(await setup('nodots', ADMIN)).toEqual(unfit);
      const folder = await openFolder('setup-nginx');
      const server = `server { listen 127.0.0.1:${ports.GATEWAY_PORT}; }`;
      const nginx = await runNginx(folder, ports.GATEWAY_PORT, nginxMain(folder, server));
      const taken = await setup(DOMAIN, ADMIN, ...own, '--yes').finally(() => nginx.stop());
      expect(taken).toMatchObject({
        code: 1,
        said: `${setupPhrases.portTaken(ports.GATEWAY_PORT, 'nginx', 'GATEWAY_PORT', join(root, 'etc/propusk.env'))}\n`,
      });
    });

    test('setup uses the domain for the gateway when DNS has no name of its own for it', async () => {
      delete records[`gw.${DOMAIN}`];
      const { said } = await setup(DOMAIN, ADMIN, ...own);
      expect(said).toContain(`GATEWAY_PUBLIC_URL=https://${DOMAIN}:${ports.GATEWAY_PORT}\n`);
    });

    test('setup refuses a clock that is off, and a name by which HTTP does not reach this machine', async () => {
      const directory = https.createServer(certificate, (_, reply) => {
        reply.setHeader('date', new Date(Date.now() - 120_000).toUTCString()).end('{}');
      });
      await once(directory.listen(0, '127.0.0.1'), 'listening');
      const { port } = directory.address() as AddressInfo;
      write(settings().replace(pebble.directory, `https://127.0.0.1:${port}/`));
      const off = await setup(DOMAIN, ADMIN, ...own, '--yes');
      expect(off).toMatchObject({ code: 1, said: expect.stringMatching(/ 1(19|20|21) /) });
      directory.close().closeAllConnections();

      await startCa(await freePort());
      const written = settings();
      const elsewhere = await setup(DOMAIN, ADMIN, ...own, '--yes');
      const [refusal = ''] = setupPhrases.caRefuses('\0').split('\0');
      expect(elsewhere).toMatchObject({ code: 1, said: expect.stringMatching(`${refusal}.*${DOMAIN}`) });
      expect([settings(), log()]).toEqual([written, ['']]);
    });

    test('setup with a mail server that refuses repeats its reply and changes nothing', async () => {
      inbox.refuse(1, 554);
      const before = settings();
      const args = [DOMAIN, ADMIN, ...own, '--smtp', '-', '--yes'];
      const { code, said } = await setupWith(`${inbox.url}\n`, ...args);
      expect([code, settings(), log()]).toEqual([1, before, ['']]);
      expect(said).toContain(setupPhrases.mailRefused('rejected', '554'));
      const empty = await setup(...args);
      expect(empty.said).toContain(setupPhrases.unfit.input());
    });

    test('setup behind a real nginx goes on with --tls off, and refuses --tls auto', async () => {
      const folder = await openFolder('setup-nginx');
      const { certPath, keyPath } = certificate;
      chmodSync(keyPath, 0o644);
      trust = certPath;
      const server = `server { listen 127.0.0.1:${ports.HTTPS_PORT} ssl; ssl_certificate ${certPath}; ssl_certificate_key ${keyPath};
    location / { proxy_pass http://127.0.0.1:${ports.PORT}; proxy_set_header Host $host; } }`;
      const nginx = await runNginx(folder, ports.HTTPS_PORT, nginxMain(folder, server));
      try {
        const refused = await setup(DOMAIN, ADMIN, ...own, '--tls', 'auto', '--yes');
        expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('nginx') });
        const done = await setup(DOMAIN, ADMIN, ...own, '--yes');
        expect(done).toMatchObject({ code: 0, said: expect.stringContaining('deploy/nginx.conf') });
        expect(done.said).toContain(setupPhrases.healthy(`https://${DOMAIN}:${ports.HTTPS_PORT}`));
        expect(done.said).toContain(setupPhrases.gatewayWithoutTls());
        expect(settings()).toContain('TLS=off\nTRUST_PROXY=127.0.0.1\n');
        expect(settings()).not.toContain('GATEWAY_HOST');
      } finally {
        await nginx.stop();
      }
    });

    test('setup in a terminal asks for the mail server and for consent', async () => {
      const command = `${root}/bin/propusk setup ${DOMAIN} ${ADMIN} ${own.join(' ')}`;
      const before = settings();
      const child = start('/usr/bin/script', ['-qec', command, '/dev/null']);
      const answers: [string, string][] = [
        [setupPhrases.askSmtp(), 'smtp://127.0.0.1:1'],
        [setupPhrases.askSmtp(), ''],
        [setupPhrases.confirm(), 'n'],
      ];
      let said = '';
      let answered = 0;
      child.stdout.on('data', (part: Buffer) => {
        said += part.toString();
        const [[question, answer] = ['', '']] = answers;
        if (question === '' || !said.includes(question.trim(), answered)) return;
        answered = said.length;
        answers.shift();
        child.stdin.write(`${answer}\n`);
      });
      expect(await once(child, 'exit')).toEqual([2, null]);
      expect([answers, settings()]).toEqual([[], before]);
      expect(said).toContain(setupPhrases.mailRefused('refused', undefined));
      expect(said).toContain(setupPhrases.declined());
    });
  },
);
