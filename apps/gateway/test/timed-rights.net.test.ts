import type { CompanySnapshot } from '@propusk/contract/feed';
import { openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { company, credentials, startWorld, until } from '@propusk/test-kit/gateway/world';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';

/** Rights with times, by the time of the database: in these tests it is a year ahead of this machine's clock. */

const YEAR = 365 * 86_400_000;
const moment = () => Date.now() + YEAR;

/** A company whose policy has times. @param end in ms since 1970 by the database's clock; null for no end */
function timed(port: number, end: number | null, version = 1): CompanySnapshot {
  const { policies, ...rest } = company([`crm.company.test:${port}`], { version });
  const times = { from: null, until: end, zone: 'Europe/Moscow', windows: null };
  return {
    ...rest,
    policies: [],
    timed: { policies: policies.map((one) => ({ ...one, times })), members: [] },
  };
}

const ask = async (port: number, origin: number) => {
  const tunnel = await openTunnel(port, credentials(1), `crm.company.test:${origin}`);
  tunnel.socket.destroy();
  return tunnel.head.startsWith('HTTP/1.1 200') ? '200' : statusAndReason(tunnel.head);
};

test('a gateway that does not know the time of the database yet denies rights with time limits', async () => {
  await using world = await startWorld((port) => [timed(port, null)]);
  const { port, origin, feed } = world;
  expect(await ask(port, origin.port)).toBe('503 clock_unknown');
  feed.send('heartbeat', JSON.stringify({ now: moment() }));
  await expect.poll(() => ask(port, origin.port)).toBe('200');
});

test.each(['running', 'stopped'] as const)(
  'with the api %s, tunnels end within a second of the end of their right',
  async (api) => {
    await using world = await startWorld((port) => [timed(port, null)]);
    const { port, origin, feed, gateway } = world;
    feed.send('heartbeat', JSON.stringify({ now: moment() }));
    await expect.poll(() => ask(port, origin.port)).toBe('200');
    const count = quickOrSoak(200, 500);
    const tunnels = [];
    for (let i = 0; i < count; i++)
      tunnels.push(await openTunnel(port, credentials(1), `crm.company.test:${origin.port}`));
    expect(tunnels.every(({ head }) => head.startsWith('HTTP/1.1 200'))).toBe(true);
    const end = moment() + 1_500;
    feed.publish(timed(origin.port, end, 2));
    await until(() => gateway.index.companies.get(1)?.version === 2);
    if (api === 'stopped') await feed.stop();
    const late = await Promise.all(
      tunnels.map(async ({ closed }) => {
        await closed;
        return moment() - end;
      }),
    );
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(1_000);
    expect(await ask(port, origin.port)).toBe('403 right_ended');
  },
);
