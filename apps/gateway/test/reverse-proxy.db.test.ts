import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { myAccess } from '@propusk/contract/access';
import { login } from '@propusk/contract/auth';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createSite, listSites } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { freePort } from '@propusk/test-kit/daemon';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { stop } from '@propusk/test-kit/gateway/client';
import { type Origin, startOrigin } from '@propusk/test-kit/gateway/origin';
import {
  NAME,
  type ReverseProxy,
  reverseProxies,
  startReverseProxy,
} from '@propusk/test-kit/gateway/reverse-proxies';
import { SECRET } from '@propusk/test-kit/gateway/world';
import { nodeEnvironment } from '@propusk/test-kit/node-environment';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

/**
 * The product behind `deploy/nginx.conf` and `deploy/Caddyfile`: two api processes, and an HTTPS gateway
 * with a private CA.
 */

const PASSWORD = 'correct horse';
let folder: string;
let database: TestDatabase;
let certificate: Certificate;
let origin: Origin;
let apis: [ApiProcess, ApiProcess];
let owner: string;
const emailOf = (name: string) => `${name}@company.test`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-behind-'));
  database = await createTestDatabase(inject('serverUrl'));
  certificate = await makeCertificate(`DNS:${NAME}`, 'IP:127.0.0.1');
  origin = await startOrigin();
  const env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'the sealing secret behind proxies, long enough',
    GATEWAY_SECRET: SECRET,
    DATA_DIR: folder,
    PUBLIC_URL: `https://${NAME}`,
    REGISTRATION: 'open',
    // No mail server listens here: the test confirms the companies itself.
    SMTP_URL: 'smtp://127.0.0.1:9',
    TRUST_PROXY: '127.0.0.1',
    STOP_DELAY: '3',
  };
  const first = await startApiProcess(await freePort(), env);
  apis = [first, await startApiProcess(await freePort(), env)];
  owner = await company('owner');
});
afterAll(async () => {
  for (const api of apis ?? []) await api.kill();
  await origin?.stop();
  await certificate?.remove();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Registers a company. @returns its owner's token */
async function company(name: string): Promise<string> {
  const names = { name: 'Компания', companyName: 'Компания', companySite: 'company.test' };
  const account = { ...names, email: emailOf(name), password: PASSWORD };
  const { token } = await apis[0].must(null, register, { body: account });
  await database.pool.query('update companies set confirmed = true');
  return token;
}

interface Asked {
  readonly method?: string;
  readonly token?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** The loopback address that the request comes from. */
  readonly from?: string;
  readonly agent?: Agent;
}

/** Sends a user's request over HTTPS, verified against the private CA. */
function ask(
  port: number,
  path: string,
  { method = 'GET', token, body, headers, from, agent }: Asked = {},
): Promise<{ status: number; text: string }> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asking = request(
      {
        host: '127.0.0.1',
        servername: NAME,
        port,
        path,
        method,
        ca: certificate.cert,
        ...(agent !== undefined && { agent }),
        ...(from !== undefined && { localAddress: from }),
        headers: {
          host: NAME,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(sent !== undefined && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(sent)),
          }),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more: string) => (text += more));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', reject);
      },
    );
    asking.on('error', reject);
    asking.end(sent);
  });
}

describe.each(reverseProxies)('behind %s', (name) => {
  let proxy: ReverseProxy;
  beforeAll(async () => {
    const [first, second] = apis.map(({ url }) => new URL(url).host);
    proxy = await startReverseProxy(name, certificate, [first ?? '', second ?? '']);
  });
  afterAll(() => proxy?.stop());

  test('the api answers over HTTPS behind the reverse proxy', async () => {
    expect(await ask(proxy.port, '/api/health')).toEqual({ status: 200, text: '{"status":"ok"}' });
  });

  test("sign-in attempts count by the client's real address, whatever X-Forwarded-For it sends", async () => {
    const body = { email: `${name}-nobody@company.test`, password: 'wrong guess' };
    const guess = (from: string, i: number) =>
      ask(proxy.port, `/api${login.path}`, {
        ...{ method: login.method, body, from },
        headers: { 'x-forwarded-for': `203.0.113.${i}`, 'x-real-ip': `203.0.113.${i}` },
      });
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) statuses.push((await guess('127.0.0.2', i)).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect((await guess('127.0.0.3', 1)).status).toBe(401);
  });

  test('a remote HTTPS gateway receives a revocation at once', async () => {
    const host = `${name}.company.test:${origin.port}`;
    const { rows } = await apis[0].must(owner, listProxies);
    const proxyId = rows.find(({ direct }) => direct)?.id ?? expect.fail('no default proxy');
    const policy = await apis[0].must(owner, createPolicy, { body: { name: `За ${name}`, proxyId } });
    await apis[0].must(owner, createSite, { body: { address: host, politics: [policy.id] } });
    const account = { email: emailOf(`${name}-agent`), password: PASSWORD };
    const { id } = await apis[0].must(owner, createUser, { body: account });
    const { token } = await apis[0].must(null, login, { body: account });
    const { username, password } = await apis[0].must(token, myAccess);
    const gateway = await startHttpsGateway(`https://${NAME}:${proxy.port}`, name);
    try {
      const through = () => curlThrough(gateway.port, `${username}:${password}`, `http://${host}/`);
      // Until the first message of the feed the gateway refuses everyone.
      const deadline = performance.now() + 10_000;
      while ((await through()) === '503' && performance.now() < deadline) await sleep(50);
      expect(await through()).toBe('403');
      for (const users of [[id], [], [id], []]) {
        const elapsed = stopwatch();
        await apis[0].must(owner, updatePolicy, { id: policy.id, body: { users } });
        const expected = users.length > 0 ? '200' : '403';
        for (let got = ''; got !== expected; got = await through())
          if (elapsed() > 1_000) expect.fail(`${got}, not ${expected}, after a second`);
      }
    } finally {
      await stop(gateway.child);
    }
  });
});

test('two apis restart one after the other under load, and no request fails behind any reverse proxy', async () => {
  const backends = apis.map(({ url }) => new URL(url).host);
  const end = new AbortController();
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  const loads = await Promise.all(
    reverseProxies.map(async (name) => {
      const proxy = await startReverseProxy(name, certificate, [backends[0] ?? '', backends[1] ?? '']);
      const token = await company(`${name}-load`);
      const failed: string[] = [];
      let [done, asked, created] = [0, 0, 0];
      const person = async (n: number) => {
        for (let i = 0; !end.signal.aborted; i++) {
          // A company holds at most a thousand sites, which a fast machine would reach.
          const creates = i % 10 === 0 && asked++ < 600;
          const call = creates
            ? { method: 'POST', body: { address: `${name}-${n}-${i}.example.ru` } }
            : { method: 'GET' };
          const path = creates ? '/api/domain-allowed' : '/api/me';
          const status = await ask(proxy.port, path, { ...call, token, agent }).then(
            (answer) => (answer.status < 400 ? answer.status : `${answer.status} ${answer.text}`),
            (error: Error) => error.message,
          );
          done++;
          if (status === (creates ? createSite.status : 200)) created += creates ? 1 : 0;
          else failed.push(`${call.method} ${status}`);
        }
      };
      const people = Array.from({ length: 12 }, (_, n) => person(n));
      const seen = () => ({ name, token, done, failed, created });
      return { proxy, seen, done: () => done, people };
    }),
  );
  const stops: number[] = [];
  for (const api of apis) {
    // The balancer retries a failed backend only after a while.
    await sleep(3_500);
    const started = performance.now();
    expect(await api.terminate()).toBe(0);
    stops.push(Math.round(performance.now() - started));
    await api.start();
  }
  await sleep(1_000);
  for (const { done } of loads) await expect.poll(done).toBeGreaterThan(500);
  end.abort();
  await Promise.all(loads.flatMap(({ people }) => people));
  agent.destroy();
  for (const { proxy, seen } of loads) {
    await proxy.stop();
    const { name, token, done, failed, created } = seen();
    process.stdout.write(
      `restarts behind ${name}: ${done} requests, ${failed.length} failed, ${created} created; stops took ${stops.join(', ')} ms\n`,
    );
    expect(failed).toEqual([]);
    // Every acknowledged create happened exactly once.
    expect((await apis[0].must(token, listSites)).count).toBe(created);
  }
});

/**
 * Starts the real gateway as a process that trusts the private CA, and resolves the console through
 * GATEWAY_HOSTS.
 */
async function startHttpsGateway(
  apiUrl: string,
  name: string,
): Promise<{ child: ChildProcess; port: number }> {
  const env = {
    ...nodeEnvironment(),
    GATEWAY_PORT: '0',
    GATEWAY_SECRET: SECRET,
    GATEWAY_HOSTS: `${name}.company.test=127.0.0.1`,
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    GATEWAY_TLS_CERT: certificate.certPath,
    GATEWAY_TLS_KEY: certificate.keyPath,
    NODE_EXTRA_CA_CERTS: certificate.certPath,
    API_URL: apiUrl.replace(NAME, '127.0.0.1'),
    DATA_DIR: join(folder, `gateway-${name}`),
    LOG_LEVEL: 'warn',
  };
  const child = fork(new URL('../src/main.ts', import.meta.url).pathname, {
    env,
    execArgv: [],
    silent: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (said += data));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The gateway ended: ${said}`)));
  ended.catch(() => {});
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
  return { child, port: message.port };
}

/** Runs curl through an HTTPS proxy with certificate checks. @returns the status */
async function curlThrough(port: number, who: string, url: string): Promise<string> {
  const args = ['-sS', '-o', '/dev/null', '-m', '5', '-w', '%{http_code}', '--noproxy', ''];
  const proxy = ['--proxy-cacert', certificate.certPath, '-x', `https://${who}@127.0.0.1:${port}`];
  return (await promisify(execFile)('/usr/bin/curl', [...args, ...proxy, url])).stdout;
}

test('nginx on port 80 serves the ACME challenge, and redirects everything else to https', async () => {
  await using started = new AsyncDisposableStack();
  const { host } = new URL(apis[0].url);
  const proxy = await startReverseProxy('nginx', certificate, [host, host]);
  started.defer(proxy.stop);
  const proofs = join(proxy.acmeFolder, '.well-known/acme-challenge');
  await mkdir(proofs, { recursive: true });
  await writeFile(join(proofs, 'token'), 'token.thumbprint');
  const plain = (path: string) => fetch(`http://127.0.0.1:${proxy.plainPort}${path}`, { redirect: 'manual' });
  expect(await (await plain('/.well-known/acme-challenge/token')).text()).toBe('token.thumbprint');
  expect((await plain('/.well-known/acme-challenge/none')).status).toBe(404);
  const rest = await plain('/auth/login?next=/');
  expect([rest.status, rest.headers.get('location')]).toEqual([308, 'https://127.0.0.1/auth/login?next=/']);
});
