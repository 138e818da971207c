import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startErrors } from '@propusk/phrases/gateway';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { get, openTunnel, raw, statusAndReason, stop } from '@propusk/test-kit/gateway/client';
import { type FeedServer, startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { type Origin, startOrigin } from '@propusk/test-kit/gateway/origin';
import { authorization, company, credentials, hosts, SECRET, until } from '@propusk/test-kit/gateway/world';
import { nodeEnvironment } from '@propusk/test-kit/node-environment';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

/** The gateway as a process: start, refused start, and shutdown. */

const me = credentials(1);
const main = new URL('./main.ts', import.meta.url).pathname;
let feed: FeedServer;
let origin: Origin;
let folder: string;
let host: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  origin = await startOrigin();
  feed = await startFeedServer(SECRET);
  host = `crm.company.test:${origin.port}`;
  feed.publish(company([host]));
  folder = await mkdtemp(join(tmpdir(), 'propusk-main-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await stop(child);
});
afterAll(async () => {
  await feed.stop();
  await origin.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  child: ChildProcess;
  said: () => string;
  complained: () => string;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
}

/** Starts `main.ts` with an IPC channel, as the supervisor does. */
function start(env: Readonly<Record<string, string>> = {}, uid?: number): Started {
  const settings = {
    ...nodeEnvironment(),
    GATEWAY_PORT: '0',
    GATEWAY_SECRET: SECRET,
    GATEWAY_HOSTS: hosts,
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    API_URL: feed.url,
    DATA_DIR: folder,
    ...env,
  };
  const child = fork(main, { env: settings, execArgv: [], silent: true, uid });
  children.push(child);
  let [said, complained] = ['', ''];
  child.stdout?.on('data', (data) => (said += data));
  child.stderr?.on('data', (data) => (complained += data));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, said: () => said, complained: () => complained, ended };
}

/** Starts the gateway, and waits until it serves user 1. */
async function serving(env: Readonly<Record<string, string>> = {}): Promise<Started & { port: number }> {
  const started = start(env);
  const [message] = (await once(started.child, 'message')) as [{ type: string; port: number }];
  expect(message).toEqual({ type: 'listening', port: expect.any(Number) });
  const { port } = message;
  for (let tries = 0; statusAndReason(await get(port, me, `http://${host}/`)) !== '200'; tries++) {
    if (tries > 200) throw new Error(`It does not serve: ${started.said()}`);
  }
  return { ...started, port };
}

describe.each(['1', '2'])('a gateway of %s processes', (GATEWAY_PROCESSES) => {
  test.each([
    ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
    ['SIGINT', (child: ChildProcess) => child.kill('SIGINT')],
    ['the supervisor gone', (child: ChildProcess) => child.disconnect()],
  ])('the gateway exits with code 0 on %s after the current request completes', async (_, end) => {
    const { child, port, ended } = await serving({ GATEWAY_PROCESSES });
    const slow = `GET http://${host}/slow HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`;
    // The client would keep the connection, so the gateway must close it.
    const response = raw(port, slow);
    const before = origin.requests.length;
    await until(() => origin.requests.length > before - 1 && origin.requests.at(-1)?.url === '/slow');
    const elapsed = stopwatch();
    end(child);
    await sleep(200);
    // New connections are refused meanwhile.
    expect(statusAndReason(await get(port, me, `http://${host}/`))).toBe('none');
    expect(await response).toContain(`hello from ${host}`);
    expect(await ended).toBe(0);
    expect(elapsed()).toBeLessThan(2_500);
  });

  test('the gateway warns in one line when it listens on loopback only and its public URL names another host', async () => {
    const url = 'https://gate.example.ru:3128';
    const { complained } = await serving({ GATEWAY_PROCESSES, GATEWAY_PUBLIC_URL: url });
    await until(() => complained() !== '');
    expect(complained()).toBe(
      `Шлюз слушает только этот компьютер (127.0.0.1), а пользователи идут на ${url}. Укажите GATEWAY_HOST=0.0.0.0, если перед шлюзом нет своего прокси\n`,
    );
  });

  test('the gateway exits with code 0 about 5 s after SIGTERM, even when a tunnel stays open', async () => {
    const { child, port, ended } = await serving({ GATEWAY_PROCESSES });
    const tunnel = await openTunnel(port, me, host, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');
    const elapsed = stopwatch();
    child.kill('SIGTERM');
    await sleep(4_000);
    const before = tunnel.got().length;
    await until(() => tunnel.got().length > before, 500);
    expect(await ended).toBe(0);
    await tunnel.closed;
    expect(elapsed()).toBeLessThan(6_000);
  });
});

describe.each(['1', '2'])('a gateway of %s processes without a usable certificate', (GATEWAY_PROCESSES) => {
  let certificate: Certificate;
  let own: string;
  let env: Record<string, string>;
  beforeAll(async () => (certificate = await makeCertificate('IP:127.0.0.1')));
  afterAll(() => certificate.remove());
  beforeEach(async () => {
    await chmod(folder, 0o755);
    own = await mkdtemp(join(folder, 'own-'));
    await chmod(own, 0o777);
    const [GATEWAY_TLS_CERT, GATEWAY_TLS_KEY] = [join(own, 'cert.pem'), join(own, 'key.pem')];
    env = { GATEWAY_TLS_CERT, GATEWAY_TLS_KEY, GATEWAY_PROCESSES, DATA_DIR: own };
  });
  const messagesOf = (child: ChildProcess) => {
    const types: string[] = [];
    child.on('message', (message: { type: string }) => types.push(message.type));
    return types;
  };

  test('a gateway whose certificate is missing says so, waits, and serves once the files are there', async () => {
    const { child, said } = start(env);
    const types = messagesOf(child);
    await until(() => said().includes(`файла «${own}/cert.pem» ещё нет`));
    await until(() => types.length > 0);
    expect(types).toEqual(['waiting']);
    await copyFile(certificate.keyPath, join(own, 'key.pem'));
    await copyFile(certificate.certPath, join(own, 'cert.pem'));
    await until(() => types.includes('listening'));
    expect(child.exitCode).toBeNull();
  });

  /** Whether another user can run Node.js from this checkout: that user needs access to all its parent folders. */
  const others = () => spawnSync(process.execPath, ['--version'], { uid: 33, gid: 33 }).status === 0;
  test.runIf(process.getuid?.() === 0 && others())(
    'a gateway that may not read its key names its user, the file and the command that grants it',
    async () => {
      await copyFile(certificate.certPath, join(own, 'cert.pem'));
      await chmod(join(own, 'cert.pem'), 0o644);
      await copyFile(certificate.keyPath, join(own, 'key.pem'));
      await chmod(join(own, 'key.pem'), 0o600);
      const { said } = start(env, 33);
      const line = `пользователь www-data не может прочитать файл «${own}/key.pem». Дайте ему право командой: `;
      await until(() => said() !== '');
      expect(said()).toContain(`${line}setfacl -m u:www-data:rX '${own}' '${own}/key.pem'`);
    },
  );
});

describe.each(['1', '2'])('a misconfigured gateway of %s processes', (GATEWAY_PROCESSES) => {
  const networks = 'Она принимает: сети через запятую, например 10.0.0.0/8,fd00::/8';
  test.each<[Record<string, string>, string]>([
    [
      { GATEWAY_SECRET: '' },
      'Настройка GATEWAY_SECRET не задана. Она принимает: не меньше 32 случайных символов',
    ],
    [
      { GATEWAY_ALLOW_NETWORKS: '10.0.0.0' },
      `Настройка GATEWAY_ALLOW_NETWORKS задана неверно: «10.0.0.0». ${networks}`,
    ],
    [
      { GATEWAY_TLS_CERT: '/etc/hostname' },
      'Задана настройка GATEWAY_TLS_CERT, а GATEWAY_TLS_KEY нет: нужны обе',
    ],
    [{ GATEWAY_HOST: '0.0.0.0' }, startErrors.plain('0.0.0.0')],
  ])('the gateway exits with code 1 and one line for the settings %o', async (env, line) => {
    const { said, complained, ended } = start({ ...env, GATEWAY_PROCESSES });
    expect(await ended).toBe(1);
    expect([said(), complained()]).toEqual(['', `${line}\n`]);
  });

  test('the gateway exits with code 1 and names a port that is in use, and its setting', async () => {
    const { port } = await serving();
    const second = start({ GATEWAY_PORT: String(port), GATEWAY_PROCESSES });
    expect(await second.ended).toBe(1);
    const line = `Порт ${port} на 127.0.0.1 занят другой программой. Укажите другой порт в настройке GATEWAY_PORT\n`;
    expect(second.complained()).toBe(line);
  });

  test('the gateway exits with code 1 and names a metrics port that is in use', async () => {
    const { port } = await serving();
    const { complained, ended } = start({ GATEWAY_METRICS_PORT: String(port), GATEWAY_PROCESSES });
    expect(await ended).toBe(1);
    expect(complained()).toBe(
      `Порт ${port} на 127.0.0.1 не открывается. Укажите другой порт в настройке GATEWAY_METRICS_PORT\n`,
    );
  });

  test('the gateway exits with code 1 for an address that this machine does not have', async () => {
    const env = { GATEWAY_HOST: '192.0.2.1', GATEWAY_PLAIN: 'anyone', GATEWAY_PROCESSES };
    const { complained, ended } = start(env);
    expect(await ended).toBe(1);
    expect(complained()).toBe(
      'У этой машины нет адреса «192.0.2.1». Укажите её адрес в настройке GATEWAY_HOST\n',
    );
  });

  test('the gateway exits with code 1 for a data folder that is a file', async () => {
    await writeFile(join(folder, 'file'), '');
    const { complained, ended } = start({ DATA_DIR: join(folder, 'file'), GATEWAY_PROCESSES });
    expect(await ended).toBe(1);
    expect(complained()).toMatch(/^Папка данных «.*» не читается \(ENOTDIR\)\..*DATA_DIR\n$/);
  });
});

test("the gateway's log reports refusals and contains no secret", async () => {
  const proxy = {
    id: 7,
    type: 'users',
    direct: false,
    host: '127.0.0.1',
    port: 9,
    username: 'gate',
    password: 'canary-5f2',
  } as const;
  feed.publish(company([host, 'up.company.test'], { version: 2, proxy }));
  const { child, port, said, ended } = start({ LOG_LEVEL: 'trace' }) as Started & { port: number };
  void port;
  const [message] = (await once(child, 'message')) as [{ port: number }];
  await until(() => said().includes('up to date'));
  expect(statusAndReason(await get(message.port, me, `http://${host}/?secret=in-the-query`))).toBe(
    '502 upstream_failed',
  );
  expect(statusAndReason(await get(message.port, `${me}x`, `http://${host}/`))).toBe('407 bad_credentials');
  expect(statusAndReason((await openTunnel(message.port, me, host)).head)).toBe('502 upstream_failed');
  feed.send('company', '{"canary-5f2":1}');
  await until(() => said().includes('breaks the contract'));
  child.kill('SIGTERM');
  await ended;
  expect(said()).toMatch(/"reason":"bad_credentials"/);
  expect(said()).toMatch(/"user":"u1","target":"crm\.company\.test:\d+"/);
  const token = me.slice(me.indexOf(':') + 1);
  for (const secret of [SECRET, token, token.slice(-43), 'canary-5f2', 'in-the-query', 'Basic ', 'Bearer']) {
    expect(said()).not.toContain(secret);
  }
});
