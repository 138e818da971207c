import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { checkKey } from '@propusk/api/db/key-check';
import { createEncryption } from '@propusk/api/encryption';
import { createMetrics, type Metrics } from '@propusk/api/http/metrics';
import { createPasswords, type Passwords } from '@propusk/api/identity/passwords';
import { createLog } from '@propusk/api/log';
import { type Pace, unpaced } from '@propusk/api/probe/pace';
import { ensureDirectProxy } from '@propusk/api/proxies/store';
import { createServer, type ServerParts } from '@propusk/api/server';
import { login } from '@propusk/contract/auth';
import type { Endpoint, Input, Output } from '@propusk/contract/endpoint';
import type { ErrorBody } from '@propusk/contract/errors';
import { register } from '@propusk/contract/registration';
import { createUser } from '@propusk/contract/users';
import type { FastifyInstance } from 'fastify';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { watchReplies } from './openapi-check.ts';

export const GATEWAY_SECRET = 'the gateway secret of all the tests';
export const testKeys = gatewayKeys(GATEWAY_SECRET);
/**
 * Password hashes at a thousandth of the product's cost. A test that measures time passes `passwords:
 * createPasswords()` instead.
 */
export const testPasswords = createPasswords(64);
export const testEncryption = createEncryption('the sealing secret of all the tests');

type Parts<E extends Endpoint> = {
  params?: Input<E['params']>;
  query?: Input<E['query']>;
  body?: Input<E['body']>;
  headers?: Record<string, string>;
  /** The client's IP address. */
  from?: string;
};

export interface Reply<E extends Endpoint> {
  readonly status: number;
  readonly body: Output<E['reply']>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly error: ErrorBody;
}

export interface TestApi {
  readonly app: FastifyInstance;
  readonly database: TestDatabase;
  /** Replies that deviate from the documentation; `close` fails when there are any. */
  readonly violations: readonly string[];
  /** Makes a call with a token, or anonymously for null. */
  call<E extends Endpoint>(token: string | null, endpoint: E, parts?: Parts<E>): Promise<Reply<E>>;
  /** Makes a call and returns its body. @throws Error when the status is not the documented success */
  must<E extends Endpoint>(token: string | null, endpoint: E, parts?: Parts<E>): Promise<Output<E['reply']>>;
  /** Creates a company with a signed-in owner. */
  company(): Promise<{ token: string; email: string }>;
  /** Creates a signed-in USER of the owner's company. */
  agent(owner: string, politics?: number[]): Promise<{ token: string; id: number; email: string }>;
  close(): Promise<void>;
}

export const PASSWORD = 'correct horse';
let serial = 0;
let started = 0;
/** Each company and agent signs in from its own IP address, because the limits count addresses. */
const ownAddress = () => `10.1.${serial >> 8}.${serial & 255}`;

/** Starts the whole api on its own database, for calls through its HTTP routes. */
export async function startApi(
  serverUrl: string,
  {
    shared,
    heartbeatMs,
    logTo,
    logLevel = 'trace',
    settings,
    metrics = createMetrics(),
    runsProbes = false,
    reserveFile,
    passwords = testPasswords,
    vantageIdleS,
    pace = unpaced,
  }: {
    pace?: Pace;
    vantageIdleS?: number;
    reserveFile?: string;
    passwords?: Passwords;
    shared?: TestDatabase;
    heartbeatMs?: number;
    logTo?: (line: string) => void;
    /** The log level; it applies only together with `logTo`. */
    logLevel?: string;
    settings?: Partial<ServerParts['config']>;
    metrics?: Metrics;
    /** Whether the api runs probes or only queues them. */
    runsProbes?: boolean;
  } = {},
): Promise<TestApi> {
  const database = shared ?? (await createTestDatabase(serverUrl));
  const config = {
    publicUrl: new URL('http://console.test'),
    gatewayUrl: new URL('http://gate.test:3128'),
    echoUrl: new URL('http://console.test'),
    allowNetworks: { v4: [], v6: [] },
    ownAddresses: [],
    ownPorts: new Set<number>(),
    hosts: new Map<string, readonly string[]>(),
    egress: {},
    dns: [],
    smtpUrl: undefined,
    mailFrom: 'Пропуск <pass@console.test>',
    mailFolder: join(tmpdir(), `propusk-mail-${process.pid}-${++started}`),
    // `publicUrl` is not loopback, which would close registration; most tests need companies without
    // confirmation.
    registration: 'open' as const,
    confirmsMail: false,
    trustProxy: [],
    sockets: 10_000,
    memory: 4_096 * 1024 * 1024,
    documentation: true,
    helpUrl: undefined,
    dataDir: tmpdir(),
    extensionDir: join(tmpdir(), 'no-extension'),
    extensionStores: { chromium: null, firefox: null },
    localUrl: 'http://127.0.0.1:9',
    logDays: 90,
    ...settings,
  };
  await checkKey(database.db, testEncryption);
  await ensureDirectProxy(database.db, config.gatewayUrl);
  const app = await createServer({
    config,
    // No check of the server's state leaves this machine.
    env: { ACME_DIRECTORY: 'http://127.0.0.1:9/' },
    opened: database,
    encryption: testEncryption,
    passwords,
    gatewayKeys: testKeys,
    metrics,
    logger: logTo === undefined ? createLog('silent') : createLog(logLevel, { write: logTo }),
    ...(heartbeatMs !== undefined && { heartbeatMs }),
    // DNS resolves no name outside `hosts`.
    lookup: async () => [],
    runsProbes,
    reserveFile,
    vantageIdleS,
    pace,
  });
  const violations = watchReplies(app);
  await app.ready();

  const call: TestApi['call'] = async (token, endpoint, parts = {}) => {
    const response = await app.inject({
      method: endpoint.method,
      url: `/api${path(endpoint, parts.params ?? {})}`,
      ...(parts.from !== undefined && { remoteAddress: parts.from }),
      query: strings(parts.query ?? {}),
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...parts.headers },
      ...(parts.body !== undefined && { payload: parts.body as object }),
    });
    const isLines = response.headers['content-type'] === 'application/x-ndjson';
    const lines = () =>
      response.body
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    const body = isLines ? lines() : response.body === '' ? undefined : response.json();
    return { status: response.statusCode, headers: response.headers, body, error: body };
  };
  const must: TestApi['must'] = async (token, endpoint, parts) => {
    const reply = await call(token, endpoint, parts);
    if (reply.status === endpoint.status) return reply.body;
    throw new Error(`${endpoint.method} ${endpoint.path}: ${reply.status} ${JSON.stringify(reply.error)}`);
  };
  return {
    app,
    database,
    violations,
    call,
    must,
    async company() {
      const email = `owner${++serial}@company.test`;
      const names = {
        name: `Компания ${serial}`,
        companyName: `Компания ${serial}`,
        companySite: 'company.test',
      };
      const body = { ...names, email, password: PASSWORD };
      const { token } = await must(null, register, { body, from: ownAddress() });
      return { token, email };
    },
    async agent(owner, politics = []) {
      const email = `agent${++serial}@company.test`;
      const { id } = await must(owner, createUser, { body: { email, password: PASSWORD, politics } });
      const { token } = await must(null, login, { body: { email, password: PASSWORD }, from: ownAddress() });
      return { token, id, email };
    },
    async close() {
      try {
        await app.close();
      } finally {
        await rm(config.mailFolder, { recursive: true, force: true });
        if (shared === undefined) await database.drop();
      }
    },
  };
}

function path(endpoint: Endpoint, params: Record<string, unknown>): string {
  return endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

function strings(query: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

/**
 * Repeats a call that is answered 503, as a client does. A busy machine answers so when a request waits for more than 2 s for a
 * database connection.
 */
export async function answered<R extends { status: number }>(call: () => Promise<R>): Promise<R> {
  for (;;) {
    const reply = await call();
    if (reply.status !== 503) return reply;
    // At different times, or the next attempts meet the same queue.
    await sleep(100 + Math.random() * 900);
  }
}
