import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { GatewayRecord } from '@propusk/contract/records';
import { type Daemon, freePort, openFolder, startDaemon } from '@propusk/test-kit/daemon';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { get } from '@propusk/test-kit/gateway/client';
import { startGatewayProcess } from '@propusk/test-kit/gateway/gateway-process';
import { company, credentials, startWorld } from '@propusk/test-kit/gateway/world';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';

/** The file of ACCESS_LOG under `deploy/rsyslog.conf` and `deploy/logrotate.conf`: Debian's rsyslog sends it to another by TLS. */

const AWAY_MS = quickOrSoak(15_000, 60_000);
const RSYSLOG = '/usr/sbin/rsyslogd';
const deploy = (name: string) => readFile(new URL(`../../../deploy/${name}`, import.meta.url), 'utf8');

/** Replaces texts of a file of deploy/, each of which must be there. */
function substitute(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`no ${from} in the file`);
    return all.replaceAll(from, to);
  }, text);
}

async function startRsyslog(port: number, configuration: string): Promise<Daemon> {
  const own = await openFolder('rsyslog');
  await writeFile(join(own, 'rsyslog.conf'), configuration);
  return startDaemon(own, port, RSYSLOG, [
    ...['-n', '-f', join(own, 'rsyslog.conf'), '-i', join(own, 'pid')],
  ]);
}

test(`no line is lost while the receiver is away for ${AWAY_MS / 1000} s and the file rotates`, {
  timeout: AWAY_MS + 120_000,
}, async () => {
  await using world = await startWorld((port) => [company([`crm.company.test:${port}`])]);
  const certificate = await makeCertificate('DNS:siem.company.test');
  const folder = await openFolder('shipping');
  for (const name of ['logs', 'sender']) {
    await mkdir(join(folder, name));
    await chmod(join(folder, name), 0o777);
  }
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(cert, certificate.cert);
  await writeFile(key, certificate.key);
  await certificate.remove();
  const path = join(folder, 'logs', 'access.log');
  // rsyslog runs as another user here, which the file's mode excludes.
  await writeFile(path, '', { mode: 0o644 });
  await chmod(path, 0o644);

  const port = await freePort();
  const receive = () =>
    startRsyslog(
      port,
      `global(workDirectory="${folder}" defaultNetstreamDriver="ossl" defaultNetstreamDriverCAFile="${cert}"
  defaultNetstreamDriverCertFile="${cert}" defaultNetstreamDriverKeyFile="${key}")
module(load="imtcp" streamDriver.mode="1" streamDriver.authMode="anon")
input(type="imtcp" port="${port}" address="127.0.0.1")
template(name="raw" type="string" string="%msg%\\n")
action(type="omfile" file="${folder}/received" template="raw")
`,
    );
  let receiver = await receive();
  const sender = await startRsyslog(
    port,
    `global(workDirectory="${folder}/sender")\n${substitute(await deploy('rsyslog.conf'), {
      '/var/log/propusk/access.log': path,
      'target="siem.example.ru" port="6514"': `target="127.0.0.1" port="${port}"`,
      'StreamDriverPermittedPeers="siem.example.ru"': 'StreamDriverPermittedPeers="siem.company.test"',
      '/etc/propusk/siem-ca.pem': cert,
    })}`,
  );
  const gateway = await startGatewayProcess({
    ...{ API_URL: world.feed.url, DATA_DIR: join(folder, 'data'), ACCESS_LOG: path },
  });
  const rotation = join(folder, 'logrotate.conf');
  const owner = process.getuid?.() === 0 ? 'root root' : 'propusk propusk';
  await writeFile(
    rotation,
    substitute(await deploy('logrotate.conf'), {
      '/var/log/propusk/access.log': path,
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
      const answer = await get(gateway.port, credentials(1), `http://crm.company.test:${world.origin.port}/`);
      if (answer.startsWith('HTTP/1.1 200')) visits += 1;
      await sleep(10);
    }
  }
  const received = async () =>
    (await readFile(join(folder, 'received'), 'utf8').catch(() => ''))
      .split('\n')
      .filter((line) => line.includes('{'))
      .map((line) => JSON.parse(line) as GatewayRecord);
  const visitsOf = (records: GatewayRecord[]) =>
    new Set(records.filter(({ open, kind }) => !open && kind === 'requests').map(({ id }) => id)).size;
  async function untilReceived(least: number, ms: number) {
    const deadline = Date.now() + ms;
    while (visitsOf(await received()) < least && Date.now() < deadline) await sleep(200);
    return visitsOf(await received());
  }

  try {
    await visit(100);
    expect(await untilReceived(visits, 20_000)).toBe(visits);
    // Under traffic: the receiver stops, and lines are on their way.
    const traffic = visit(300);
    await sleep(1_000);
    await receiver.stop();
    await traffic;
    await sleep(AWAY_MS / 2);
    await rotate();
    process.kill(gateway.pid, 'SIGHUP');
    await visit(100);
    await sleep(AWAY_MS / 2);
    receiver = await receive();
    await visit(50);
    expect(visits).toBeGreaterThan(500);
    const seen = await untilReceived(visits, 60_000);
    expect(seen).toBe(visits);
    expect(await readFile(`${path}.1`, 'utf8')).not.toBe('');
    expect(await readFile(path, 'utf8')).not.toBe('');
  } finally {
    await gateway.terminate();
    await sender.stop();
    await receiver.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
