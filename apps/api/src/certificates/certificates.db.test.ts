import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, get as getHttp, type IncomingMessage } from 'node:http';
import { Agent, get as getHttps } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { type Pebble, type PebbleOptions, startPebble } from '@propusk/test-kit/api/pebble';
import { freePort } from '@propusk/test-kit/daemon';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { answerChallenges, tryIssue } from './issue.ts';
import { startRenewal } from './renewal.ts';
import { serveTls, type TlsSide } from './serve.ts';
import { type TlsConfig, tlsConfig } from './settings.ts';
import { readAccountKey, readStored } from './store.ts';

/** The api gets certificates from a local CA (Pebble). Console and gateway have different DNS names. */

let api: TestApi;
let lines: string[];
let dataDir: string;
let ports: { HTTPS_PORT: number; HTTP_PORT: number };
let caPort: number;
let metrics: Metrics;
const cleanUp: (() => unknown)[] = [];

const publicUrl = new URL('https://pass.test');
const gatewayUrl = new URL('https://gate.test:3128');

beforeAll(async () => {
  lines = [];
  api = await startApi(inject('serverUrl'), {
    settings: { publicUrl, gatewayUrl, trustProxy: ['127.0.0.1', '::ffff:127.0.0.1'] },
    logTo: (line) => void lines.push(line),
  });
  await api.app.ready();
});
afterAll(() => api.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'propusk-certificates-'));
  ports = { HTTPS_PORT: await freePort(), HTTP_PORT: await freePort() };
  caPort = await freePort();
  metrics = createMetrics();
});
afterEach(async () => {
  for (const step of cleanUp.splice(0).toReversed()) await step();
  await rm(dataDir, { recursive: true, force: true });
});

async function startCa(options: Partial<PebbleOptions> = {}): Promise<Pebble> {
  const ca = await startPebble({ httpPort: ports.HTTP_PORT, port: caPort, ...options });
  cleanUp.push(ca.stop);
  return ca;
}

function configFor(ca: string | undefined): TlsConfig {
  const config = tlsConfig(
    {
      ...{ TLS: 'auto', TLS_CERT: undefined, TLS_KEY: undefined, TLS_DIR: undefined, ...ports },
      ...{
        ACME_MAIL: 'ops@pass.test',
        ACME_DIRECTORY: `https://127.0.0.1:${caPort}/dir`,
        ACME_CA: undefined,
      },
    },
    { publicUrl, gatewayUrl, dataDir },
  );
  if (config?.acme === undefined) throw new Error('no ACME');
  return { ...config, acme: { ...config.acme, authority: { ...config.acme.authority, ca } } };
}

async function serve(ca?: Pebble): Promise<TlsSide> {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const parts = { publicUrl, sockets: 1_000, db: api.database.db, log, metrics };
  const side = await serveTls(api.app, { tls: configFor(ca?.ca), ...parts });
  cleanUp.push(side.close);
  return side;
}

async function until<T>(
  read: () => T | Promise<T>,
  isRight: (value: T) => boolean,
  ms = 120_000,
): Promise<T> {
  for (const deadline = Date.now() + ms; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const value = await read();
    if (isRight(value)) return value;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)}`);
  }
}

/** Connects to the console as a client that verifies certificates. @returns the certificate; null if the handshake fails */
async function handshake(root: string): Promise<PeerCertificate | null> {
  const socket = connect({ port: ports.HTTPS_PORT, host: '127.0.0.1', servername: 'pass.test', ca: root });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate();
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
}

const answer = async (request: ReturnType<typeof getHttp>): Promise<IncomingMessage> => {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response;
};
const overHttp = (path: string) => answer(getHttp({ port: ports.HTTP_PORT, host: '127.0.0.1', path }));

test('console and gateway get valid certificates, and a restart orders no new certificates', async () => {
  const ca = await startCa();
  const side = await serve(ca);
  const root = await ca.root();
  expect(
    (
      await until(
        () => handshake(root),
        (seen) => seen !== null,
      )
    )?.subjectaltname,
  ).toBe('DNS:pass.test');
  const { acme, console: own, gateway } = configFor(ca.ca);
  if (acme === undefined || gateway === undefined) throw new Error('no gateway');
  const [, ofGateway] = acme.orders;
  const stored = await until(
    () => ofGateway && readStored(ofGateway),
    (pair) => !!pair,
  );
  expect(new X509Certificate(stored?.cert ?? '').checkHost('gate.test')).toBe('gate.test');
  for (const file of [own.key, gateway.key, acme.accountKey])
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  const { asymmetricKeyDetails } = new X509Certificate(stored?.cert ?? '').publicKey;
  expect(asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
  const text = await metrics.registry.metrics();
  const expiry = /certificate_expiry_timestamp_seconds\{name="gate.test"\} (\S+)/.exec(text)?.[1];
  expect(Math.abs(Number(expiry) - Date.now() / 1000 - 90 * 86_400)).toBeLessThan(7_200);

  const agent = new Agent({ ca: root });
  const to = { port: ports.HTTPS_PORT, host: '127.0.0.1', servername: 'pass.test', agent };
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http' };
  const health = await answer(getHttps({ ...to, path: '/api/health', headers }));
  expect([health.statusCode, health.headers['strict-transport-security']]).toEqual([
    200,
    expect.stringContaining('max-age'),
  ]);
  expect(lines.join('')).not.toContain('203.0.113.9');
  // Without TLS, the app trusts an X-Forwarded-For header from an address in TRUST_PROXY.
  await api.app.inject({ path: '/api/health', headers });
  expect(lines.join('')).toContain('203.0.113.9');

  const redirect = await overHttp('//evil.test/?a=b');
  expect([redirect.statusCode, redirect.headers.location]).toEqual([
    308,
    'https://pass.test//evil.test/?a=b',
  ]);

  await side.close();
  await ca.stop();
  metrics = createMetrics();
  const again = await serve(ca);
  await until(
    () => handshake(root),
    (seen) => seen !== null,
  );
  await again.renewal?.tick();
  expect([...(again.renewal?.states ?? [])].map(([name, { failures }]) => [name, failures])).toEqual([
    ['pass.test', 0],
    ['gate.test', 0],
  ]);
});

test('the api starts while the CA is unreachable, and gets a certificate once the CA answers', async () => {
  const side = await serve();
  await side.renewal?.tick();
  expect(await handshake('')).toBeNull();
  expect((await overHttp('/')).statusCode).toBe(503);
  expect(await metrics.registry.metrics()).toContain('propusk_api_certificate_failures{name="pass.test"} 1');
  expect(lines.join('')).toContain('ECONNREFUSED');
  await side.close();

  const log = pino({ level: 'silent' });
  const { acme } = configFor(undefined);
  if (acme === undefined) throw new Error('no ACME');
  const accountKey = await readAccountKey(acme.accountKey);
  const ca = await startCa();
  const renewal = startRenewal({
    ...acme,
    ...{
      authority: { ...acme.authority, ca: ca.ca },
      accountKey,
      db: api.database.db,
      log,
      firstRetryMs: 50,
    },
  });
  cleanUp.push(renewal.close);
  await renewal.tick();
  expect(renewal.states.get('pass.test')?.failures).toBeGreaterThan(0);
  const respond = answerChallenges(accountKey);
  const challenges = createServer((req, res) => void res.end(respond(req.url))).listen(ports.HTTP_PORT);
  cleanUp.push(() => challenges.close());
  await until(
    async () => {
      await renewal.tick();
      return renewal.states.get('pass.test');
    },
    (state) => state?.failures === 0 && state.expiresAt !== undefined,
  );
});

test('HTTP_PORT answers an ACME challenge while idle connections fill its connection limit', async () => {
  await serve();
  const to = { port: ports.HTTP_PORT, host: '127.0.0.1' };
  const open = async (localAddress: string) => {
    const socket = connectTcp({ ...to, localAddress }).resume();
    socket.on('error', () => {});
    cleanUp.push(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const idle: Socket[] = [];
  for (let each = 0; each < 300; each++) idle.push(await open(`127.0.0.${2 + (each % 2)}`));
  const path = '/.well-known/acme-challenge/token';
  const reply = await answer(getHttp({ ...to, localAddress: '127.0.0.4', path }));
  expect(reply.statusCode).toBe(200);
  // A timeout closes the remaining idle connections.
  await expect.poll(() => idle.filter(({ destroyed }) => !destroyed), { timeout: 15_000 }).toEqual([]);
});

test('the api gets a certificate for one name while the CA refuses the other name', async () => {
  const ca = await startCa({ refused: ['gate.test'] });
  const side = await serve(ca);
  const root = await ca.root();
  await until(
    () => handshake(root),
    (seen) => seen !== null,
  );
  await side.renewal?.tick();
  expect(side.renewal?.states.get('gate.test')).toEqual({ expiresAt: undefined, failures: 1 });
  expect(lines.join('')).toMatch(/"name":"gate.test","fault":"[^"]*(rejected|policy|forbid)/i);
});

test('a renewal closes no connection and fails no request', async () => {
  const ca = await startCa({ lifeS: 20 });
  const side = await serve(ca);
  const root = await ca.root();
  const first = await until(
    () => handshake(root),
    (seen) => seen !== null,
  );
  const open: TLSSocket[] = [];
  for (let each = 0; each < 50; each++) {
    const socket = connect({ port: ports.HTTPS_PORT, host: '127.0.0.1', servername: 'pass.test', ca: root });
    await once(socket, 'secureConnect');
    open.push(socket);
  }
  let cut = 0;
  let answers = 0;
  for (const socket of open) {
    socket.on('close', () => (cut += 1)).on('error', () => {});
    let carry = '';
    socket.on('data', (data) => {
      // A status line can be split between two chunks.
      const parts = `${carry}${data}`.split('HTTP/1.1 200');
      answers += parts.length - 1;
      carry = (parts.at(-1) ?? '').slice(1 - 'HTTP/1.1 200'.length);
    });
  }
  let asked = 0;
  const agent = new Agent({ ca: root });
  let [fresh, failed] = [0, 0];
  const ask = () => {
    for (const socket of open) socket.write('GET /api/health HTTP/1.1\r\nhost: pass.test\r\n\r\n');
    asked += open.length;
    fresh += 1;
    const to = { port: ports.HTTPS_PORT, host: '127.0.0.1', servername: 'pass.test', agent };
    getHttps(
      { ...to, path: '/api/health' },
      (res) => void (res.resume().statusCode === 200 || (failed += 1)),
    ).on('error', () => (failed += 1));
  };
  const asking = setInterval(ask, 200);
  cleanUp.push(
    () => clearInterval(asking),
    () => open.forEach((socket) => socket.destroy()),
  );
  const seen = await until(
    async () => {
      await side.renewal?.tick();
      return handshake(root);
    },
    (now) => now !== null && now.serialNumber !== first?.serialNumber,
  );
  expect(seen?.subjectaltname).toBe('DNS:pass.test');
  clearInterval(asking);
  await until(
    () => answers,
    (got) => got === asked,
  );
  expect([cut, failed, fresh > 10]).toEqual([0, 0, true]);
});

test("tryIssue rejects with the CA's reason if the CA cannot validate a name", async () => {
  const ca = await startCa({ refused: ['gate.test'], badNonces: 0 });
  await tryIssue(ca, ['pass.test'], ports.HTTP_PORT);
  await expect(tryIssue(ca, ['gate.test'], ports.HTTP_PORT)).rejects.toThrow(/gate.test|policy|forbid/i);
  await expect(tryIssue({ ...ca, ca: undefined }, ['pass.test'], ports.HTTP_PORT)).rejects.toThrow(
    /certificate/,
  );
  await expect(overHttp('/')).rejects.toThrow('ECONNREFUSED');
});
