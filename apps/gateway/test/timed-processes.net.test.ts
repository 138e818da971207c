import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { freePort } from '@propusk/test-kit/daemon';
import { openTunnel, statusAndReason, stop } from '@propusk/test-kit/gateway/client';
import { startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { startOrigin } from '@propusk/test-kit/gateway/origin';
import { company, credentials, hosts, SECRET, untilMetric } from '@propusk/test-kit/gateway/world';
import { nodeEnvironment } from '@propusk/test-kit/node-environment';
import { openThreatCase, quickOrSoak } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';

/**
 * Two workers close tunnels when the user's right ends. They use the clock of the database, so a change of the gateway's clock
 * has no effect.
 */

const main = new URL('../src/main.ts', import.meta.url).pathname;
const USERS = 20;
const COUNT = quickOrSoak(300, 1_000);

test.each([
  ['running', '+600'],
  ['running', '-600'],
  ['stopped', '+600'],
  ['stopped', '-600'],
] as const)(
  'with the api %s and a wall clock that is set by %s s, no tunnel ends early or a second late',
  async (api, step) => {
    const tally = openThreatCase(
      'revocation',
      `${COUNT} tunnels to the end of their right, api ${api}, clock ${step} s`,
    );
    const folder = await mkdtemp(join(tmpdir(), 'propusk-timed-'));
    const clock = join(folder, 'clock');
    await writeFile(clock, '+0\n');
    const origin = await startOrigin();
    const feed = await startFeedServer(SECRET);
    const host = `crm.company.test:${origin.port}`;
    const metricsPort = await freePort();
    const env = {
      ...nodeEnvironment(),
      LD_PRELOAD: '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      GATEWAY_PORT: '0',
      GATEWAY_PROCESSES: '2',
      GATEWAY_SECRET: SECRET,
      GATEWAY_HOSTS: hosts,
      GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
      GATEWAY_METRICS_PORT: String(metricsPort),
      API_URL: feed.url,
      DATA_DIR: folder,
    };
    const users = Array.from({ length: USERS }, (_, at) => at + 1);
    const timed = (until: number | null, version: number): CompanySnapshot => {
      const { policies, ...rest } = company([host], { version, users });
      const times = { from: null, until, zone: 'UTC', windows: null };
      return {
        ...rest,
        users: users.map((id) => ({ id, epoch: 1 })),
        policies: [],
        timed: { policies: policies.map((each) => ({ ...each, times })), members: [] },
      };
    };
    feed.publish(timed(null, 1));
    const child = fork(main, { env, execArgv: [], silent: true });
    try {
      const [{ port }] = (await once(child, 'message')) as [{ port: number }];
      await untilMetric(metricsPort, 'snapshot_version', 1, 10_000);
      feed.send('heartbeat', JSON.stringify({ now: Date.now() }));
      const ask = (user: number) => openTunnel(port, credentials(user), host);
      await expect
        .poll(async () => {
          const first = await ask(1);
          first.socket.destroy();
          return first.status;
        })
        .toBe(200);
      const tunnels = [];
      for (let at = 0; at < COUNT; at += USERS) tunnels.push(...(await Promise.all(users.map(ask))));
      expect(tunnels.every(({ status }) => status === 200)).toBe(true);
      const end = Date.now() + 2_500;
      feed.publish(timed(end, 2));
      await untilMetric(metricsPort, 'snapshot_version', 2);
      if (api === 'stopped') await feed.stop();
      await writeFile(clock, `${step}\n`);
      for (const { closed } of tunnels) {
        void closed.then(() => {
          const late = Date.now() - end;
          tally.see(late >= 0 && late < 1_000, `ended ${late} ms after the end`);
        });
      }
      await Promise.all(tunnels.map(({ closed }) => closed));
      expect(Date.now() - end).toBeLessThan(1_000);
      expect(statusAndReason((await ask(1)).head)).toBe('403 right_ended');
      tally.close();
    } finally {
      await stop(child);
      await feed.stop();
      await origin.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
