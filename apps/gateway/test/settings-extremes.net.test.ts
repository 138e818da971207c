import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingError } from '@propusk/contract/settings';
import { get, statusAndReason } from '@propusk/test-kit/gateway/client';
import { company, credentials, SECRET, startWorld, until, type World } from '@propusk/test-kit/gateway/world';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gatewaySettings, readConfig } from '../src/config.ts';
import { createLog } from '../src/log.ts';
import { createGateway } from '../src/server.ts';

/**
 * With a setting at its lowest or highest accepted value, the gateway serves requests (for 60 s in the soak). With a value
 * beyond these, it does not start, and prints one line. A setting without extremes here fails the type check.
 */

interface Extremes {
  /** Accepted values; `folder` means the test's own folder. */
  readonly serves: readonly string[];
  readonly refused: readonly string[];
}

const list = (count: number, each: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join(',');

const extremes: Record<keyof typeof gatewaySettings, Extremes> = {
  GATEWAY_PORT: { serves: ['0', '65535'], refused: ['-1', '65536', '1e3'] },
  GATEWAY_HOST: { serves: ['127.0.0.1', 'localhost'], refused: ['a b', 'a'.repeat(254), '0.0.0.0'] },
  GATEWAY_PUBLIC_URL: { serves: ['http://a', `https://${'a'.repeat(60)}.test:65535`], refused: ['a.test'] },
  // The test runs a single process. It only checks that the maximum is accepted.
  GATEWAY_PROCESSES: { serves: ['1', '64'], refused: ['0', '65'] },
  GATEWAY_SECRET: { serves: [SECRET], refused: ['x'.repeat(31)] },
  API_URL: { serves: [], refused: ['127.0.0.1:3000', 'ftp://a.test', 'http://a.test/path'] },
  PUBLIC_URL: { serves: ['http://a', `https://${'a'.repeat(60)}.test:65535`], refused: ['a.test'] },
  CONSOLE_URL: { serves: ['http://a', `https://${'a'.repeat(60)}.test:65535`], refused: ['javascript:1'] },
  ECHO_URL: { serves: ['http://echo.test:1'], refused: ['javascript:1'] },
  DATA_DIR: { serves: ['folder'], refused: [] },
  SOCKETS: { serves: ['16', '200000'], refused: ['15', '200001'] },
  MEMORY: { serves: ['128', '65536'], refused: ['127', '65537'] },
  SNAPSHOT_MAX_AGE: { serves: ['60', '86400'], refused: ['0', '59', '86401'] },
  TUNNEL_IDLE: { serves: ['1', '1440'], refused: ['0', '1441'] },
  RECORD_SPOOL: { serves: ['0', '10000'], refused: ['-1', '10001'] },
  // Standard output is the test's own: record-log.net.test.ts covers it.
  ACCESS_LOG: { serves: ['folder', '/proc/none/access.log'], refused: ['x'.repeat(4_097)] },
  GATEWAY_ALLOW_NETWORKS: {
    serves: [
      '127.0.0.0/8,0.0.0.0/0,::/0',
      `127.0.0.0/8,${list(1_000, (i) => `10.${i >> 8}.${i & 255}.0/24`)}`,
    ],
    refused: ['10.0.0.0', '10.0.0.0/33'],
  },
  GATEWAY_HOSTS: {
    serves: [list(1_000, (i) => `h${i}.company.test=127.0.0.1`)],
    refused: ['crm=10.0.0.5', 'a.test='],
  },
  GATEWAY_EGRESS: { serves: ['127.0.0.1', '127.0.0.1,::1'], refused: ['127.0.0.1,127.0.0.2', 'eth0'] },
  GATEWAY_OWN_ADDRESSES: {
    serves: [list(1_000, (i) => `203.0.${i >> 8}.${i & 255}`)],
    refused: ['pass.test', '203.0.113.0/24'],
  },
  GATEWAY_OWN_PORTS: { serves: [list(1_000, (i) => String(64_000 - i))], refused: ['0', '65536', 'ssh'] },
  GATEWAY_DNS: {
    serves: ['127.0.0.1:1', list(100, () => '127.0.0.1:65535')],
    refused: ['127.0.0.1:0', 'dns.test'],
  },
  // TLS needs a pair of files, which tls.net.test.ts covers.
  GATEWAY_TLS_CERT: { serves: [], refused: ['x'.repeat(4_097), 'alone.pem'] },
  GATEWAY_TLS_KEY: { serves: [], refused: ['x'.repeat(4_097), 'alone.pem'] },
  GATEWAY_PLAIN: { serves: ['loopback', 'anyone'], refused: ['yes'] },
  // The test's own address is none of them: it sends no header.
  GATEWAY_PROXY_PROTOCOL: {
    serves: ['10.0.0.4', `2000::/3,${list(1_000, (i) => `10.${i >> 8}.${i & 255}.0/24`)}`],
    refused: ['0.0.0.0/0', '::/0', '10.0.0.0/33', 'balancer'],
  },
  GATEWAY_METRICS_PORT: { serves: ['0'], refused: ['65536', '-1'] },
  LOG_LEVEL: { serves: ['silent', 'fatal'], refused: ['loud'] },
};

const each = <T>(pick: (one: Extremes) => readonly string[], make: (name: string, value: string) => T) =>
  Object.entries(extremes).flatMap(([name, one]) => pick(one).map((value) => make(name, value)));
const shown = (value: string) =>
  value.length > 40 ? `${value.slice(0, 40)}… of ${value.length} characters` : value;

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld((port) => [company([`crm.company.test:${port}`])]);
  folder = await mkdtemp(join(tmpdir(), 'propusk-extremes-'));
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const usual = () => ({
  GATEWAY_PORT: '0',
  GATEWAY_SECRET: SECRET,
  GATEWAY_HOSTS: 'crm.company.test=127.0.0.1',
  GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
  API_URL: world.feed.url,
  DATA_DIR: folder,
});

test.each(
  each(
    ({ serves }) => serves,
    (name, value) => ({ name, value, shown: shown(value) }),
  ),
)('the gateway serves requests with $name=$shown', async ({ name, value }) => {
  const given = value === 'folder' ? join(folder, 'deep', 'er') : value;
  const env: Record<string, string> = { ...usual(), [name]: given };
  if (name === 'GATEWAY_HOSTS') env.GATEWAY_HOSTS += ',crm.company.test=127.0.0.1';
  const gateway = await createGateway(readConfig(env), createLog('silent'));
  const port = await gateway.listen();
  try {
    await until(() => !gateway.stale());
    const end = performance.now() + quickOrSoak(0, 60_000);
    do {
      const answer = await get(port, credentials(1), `http://crm.company.test:${world.origin.port}/`);
      expect(statusAndReason(answer)).toBe('200');
      await sleep(quickOrSoak(0, 500));
    } while (performance.now() < end);
  } finally {
    await gateway.close(0);
  }
});

test.each(
  each(
    ({ refused }) => refused,
    (name, value) => ({ name, value, shown: shown(value) }),
  ),
)('the gateway refuses to start with $name=$shown, in one line that names the setting', ({ name, value }) => {
  const read = () => readConfig({ ...usual(), [name]: value });
  expect(read).toThrow(SettingError);
  expect(read).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*$`));
});
