import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { GatewayRecord } from '@propusk/contract/gateway-records';
import { type DaemonProcess, freePort, openFolder, startDaemon } from '@propusk/test-kit/daemon';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { get } from '@propusk/test-kit/gateway/client';
import { startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { company, credentials, startWorld } from '@propusk/test-kit/gateway/world';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';

/** Debian's rsyslog sends the file of ACCESS_LOG to another rsyslog over TLS, as the files of deploy/ set it up. */

const AWAY_MS = quickOrSoak(2_000, 60_000);
/** The most time for lines to arrive. */
const ARRIVAL_MS = 60_000;
const RSYSLOG = '/usr/sbin/rsyslogd';
const STUNNEL = '/usr/bin/stunnel4';
const NAME = 'siem.company.test';
const deploy = (name: string) => readFile(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

/** Replaces texts of a file of deploy/, each of which must be there. */
function substitute(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`no ${from} in the file`);
    return all.replaceAll(from, to);
  }, text);
}

async function startRsyslog(port: number, configuration: string): Promise<DaemonProcess> {
  const own = await openFolder('rsyslog');
  await writeFile(join(own, 'rsyslog.conf'), configuration);
  return startDaemon(own, port, RSYSLOG, [
    ...['-n', '-f', join(own, 'rsyslog.conf'), '-i', join(own, 'pid')],
  ]);
}

/** Paths of the log, the certificate and key of the receiver, and the only certificate that the sender trusts. */
interface Files {
  readonly log: string;
  readonly cert: string;
  readonly key: string;
  readonly trusted: string;
}

/** Texts of deploy/ that both senders have in common. */
const shared = ({ log, trusted }: Files) => ({
  '/var/log/propusk/access.log': log,
  '/etc/propusk/siem-ca.pem': trusted,
  // After a lost connection rsyslog waits before it connects again. The test shortens that pause.
  'action.resumeInterval="5" action.resumeIntervalMax="30"':
    'action.resumeInterval="1" action.resumeIntervalMax="1"',
});

/** Sender and receiver of one protocol. */
interface Protocol {
  /** The lines of the receiver's configuration before its action; `ruleset="received"` takes the messages. */
  receiver(port: number, files: Files): string;
  startSender(port: number, files: Files, work: string): Promise<DaemonProcess[]>;
}

const relp: Protocol = {
  // As in docs/operating/access-log.md: with a direct queue, a line is acknowledged once it is written.
  receiver: (port, { cert, key }) => `module(load="imrelp" tls.tlslib="openssl")
input(type="imrelp" port="${port}" address="127.0.0.1" ruleset="received"
  tls="on" tls.caCert="${cert}" tls.myCert="${cert}" tls.myPrivKey="${key}")
`,
  async startSender(port, files, work) {
    const [entry, own] = [await freePort(), await openFolder('stunnel')];
    const { '/etc/propusk/siem-ca.pem': ca, ...changes } = shared(files);
    await writeFile(
      join(own, 'stunnel.conf'),
      substitute(await deploy('stunnel.conf'), {
        'setuid = stunnel4\nsetgid = stunnel4\n': '',
        'accept = 127.0.0.1:6515': `accept = 127.0.0.1:${entry}`,
        'connect = siem.example.ru:6514': `connect = 127.0.0.1:${port}`,
        '/etc/propusk/siem-ca.pem': ca,
        'checkHost = siem.example.ru': `checkHost = ${NAME}`,
      }),
    );
    const tls = await startDaemon(own, entry, STUNNEL, [join(own, 'stunnel.conf')]);
    const text = substitute(await deploy('rsyslog.conf'), { ...changes, 'port="6515"': `port="${entry}"` });
    return [await startRsyslog(entry, `global(workDirectory="${work}")\n${text}`), tls];
  },
};

const rfc5425: Protocol = {
  receiver: (
    port,
    { cert, key },
  ) => `global(defaultNetstreamDriver="ossl" defaultNetstreamDriverCAFile="${cert}"
  defaultNetstreamDriverCertFile="${cert}" defaultNetstreamDriverKeyFile="${key}")
module(load="imtcp" streamDriver.mode="1" streamDriver.authMode="anon")
input(type="imtcp" port="${port}" address="127.0.0.1" ruleset="received")
`,
  async startSender(port, files, work) {
    const text = substitute(await deploy('rsyslog-tls.conf'), {
      ...shared(files),
      'target="siem.example.ru" port="6514"': `target="127.0.0.1" port="${port}"`,
      'StreamDriverPermittedPeers="siem.example.ru"': `StreamDriverPermittedPeers="${NAME}"`,
    });
    return [await startRsyslog(port, `global(workDirectory="${work}")\n${text}`)];
  },
};

test.for([
  ['RELP through stunnel, which loses no line', relp],
  ['syslog over TLS, which loses only lines in flight', rfc5425],
] as const)(
  `the access log is sent by %s when the receiver is killed, is away for ${AWAY_MS / 1000} s, and the file rotates`,
  {
    timeout: AWAY_MS + 5 * ARRIVAL_MS,
  },
  async ([, protocol]) => {
    await using world = await startWorld((port) => [company([`crm.company.test:${port}`])]);
    const folder = await openFolder('shipping');
    for (const name of ['logs', 'sender', 'receiver']) {
      await mkdir(join(folder, name));
      await chmod(join(folder, name), 0o777);
    }
    const files: Files = {
      log: join(folder, 'logs', 'access.log'),
      cert: join(folder, 'cert.pem'),
      key: join(folder, 'key.pem'),
      trusted: join(folder, 'trusted.pem'),
    };
    const [certificate, another] = [
      await makeCertificate(`DNS:${NAME}`),
      await makeCertificate('DNS:other.test'),
    ];
    await writeFile(files.trusted, certificate.cert + another.cert);
    const present = async ({ certPath, keyPath }: typeof certificate) => {
      await copyFile(certPath, files.cert);
      await copyFile(keyPath, files.key);
      await chmod(files.key, 0o644);
    };
    // rsyslog runs as another user here, which the file's mode excludes.
    await writeFile(files.log, '', { mode: 0o644 });
    await chmod(files.log, 0o644);

    const port = await freePort();
    const startReceiver = () =>
      startRsyslog(
        port,
        `global(workDirectory="${folder}/receiver")
${protocol.receiver(port, files)}
template(name="raw" type="string" string="%msg%\\n")
ruleset(name="received" queue.type="Direct") {
  action(type="omfile" file="${folder}/received" template="raw")
}
`,
      );
    const gateway = await startGatewayProcess({
      ...{ API_URL: world.feed.url, DATA_DIR: join(folder, 'data'), ACCESS_LOG: files.log },
    });
    const rotation = join(folder, 'logrotate.conf');
    const owner = process.getuid?.() === 0 ? 'root root' : 'propusk propusk';
    await writeFile(
      rotation,
      substitute(await deploy('logrotate.conf'), {
        '/var/log/propusk/access.log': files.log,
        'su propusk-gateway propusk-gateway': `su ${owner}`,
        nocreate: `create 0644 ${owner}`,
      }),
    );
    await chmod(rotation, 0o644);
    const rotate = () =>
      promisify(execFile)('/usr/sbin/logrotate', ['-f', '-s', join(folder, 'state'), rotation]);

    let visits = 0;
    async function visit(count: number): Promise<void> {
      for (let i = 0; i < count; i++) {
        const answer = await get(
          gateway.port,
          credentials(1),
          `http://crm.company.test:${world.origin.port}/`,
        );
        if (answer.startsWith('HTTP/1.1 200')) visits += 1;
        await sleep(5);
      }
    }
    /** Ids of the finished visits in a file, in their order. */
    const idsOf = async (path: string) =>
      (await readFile(path, 'utf8').catch(() => ''))
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.includes('{'))
        .map((line) => JSON.parse(line) as GatewayRecord)
        .filter(({ open, kind }) => !open && kind === 'requests')
        .map(({ id }) => id);
    const received = async () => new Set(await idsOf(join(folder, 'received')));
    const written = async () => [...(await idsOf(`${files.log}.1`)), ...(await idsOf(files.log))];
    const arrived = async (expected: readonly string[]) => {
      const seen = await received();
      return expected.filter((id) => !seen.has(id));
    };
    const poll = { timeout: ARRIVAL_MS, interval: 100 };
    /** Waits until the gateway has written all visits, and returns their ids. */
    const logged = async () => {
      await expect.poll(async () => (await written()).length, poll).toBe(visits);
      return written();
    };

    // The sender sends nothing to a receiver with the certificate of another name, and keeps the lines.
    await present(another);
    let receiver = await startReceiver();
    const senders = await protocol.startSender(port, files, join(folder, 'sender'));
    try {
      await visit(50);
      await logged();
      await sleep(1_500);
      expect((await received()).size).toBe(0);
      await receiver.stop();
      await present(certificate);
      receiver = await startReceiver();
      await visit(50);
      const before = await logged();
      await expect.poll(() => arrived(before), poll).toEqual([]);
      // Under traffic: the receiver freezes, takes lines that it does not process, and dies.
      const traffic = visit(300);
      await expect.poll(async () => (await received()).size, poll).toBeGreaterThan(before.length);
      process.kill(receiver.pid, 'SIGSTOP');
      const processed = (await received()).size;
      await expect.poll(async () => (await written()).length, poll).toBeGreaterThan(processed + 50);
      process.kill(receiver.pid, 'SIGKILL');
      const inFlight = await written();
      await receiver.stop();
      await traffic;
      const old = await logged();
      await rotate();
      process.kill(gateway.pid, 'SIGHUP');
      await visit(100);
      await sleep(AWAY_MS);
      receiver = await startReceiver();
      await visit(50);
      expect(visits).toBe(550);
      const all = await logged();
      expect(new Set(await idsOf(`${files.log}.1`))).toEqual(new Set(old));
      if (protocol === relp) await expect.poll(() => arrived(all), poll).toEqual([]);
      else {
        // Only lines written between the freeze and the kill of the receiver can be lost, and a few written before the gateway
        // noticed the closed connection.
        const after = all.slice(inFlight.length + 20);
        await expect.poll(() => arrived(after), poll).toEqual([]);
        expect(await arrived(all.slice(0, processed))).toEqual([]);
      }
    } finally {
      await gateway.terminate();
      for (const sender of senders) await sender.stop();
      await receiver.stop();
      for (const each of [certificate, another]) await each.remove();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
