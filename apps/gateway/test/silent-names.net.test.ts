import { setTimeout as sleep } from 'node:timers/promises';
import { get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { startNameServer } from '@propusk/test-kit/gateway/dns';
import { measure } from '@propusk/test-kit/gateway/latency';
import { company, credentials, startWorld, until } from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';

/** Companies whose name servers do not answer, beside companies whose name servers do. */

const ATTACKERS = 50;
const NEIGHBOURS = 5;
const attackers = Array.from({ length: ATTACKERS }, (_, i) => i + 1);
const neighbours = Array.from({ length: NEIGHBOURS }, (_, i) => ATTACKERS + 1 + i);
/** The first user of a company. */
const userOf = (id: number) => credentials(id * 10 - 9);

async function open() {
  const names = await startNameServer((name) => (name.endsWith('.silent.test') ? null : ['127.0.0.1']));
  const world = await startWorld(
    (port) => [
      ...attackers.map((id) => company([`*.c${id}.silent.test`], { id })),
      ...neighbours.map((id) => company([`*.c${id}.company.test:${port}`], { id })),
    ],
    { GATEWAY_DNS: names.address, GATEWAY_HOSTS: 'unused.company.test=127.0.0.1' },
  );
  const connect = async (id: number, name: string) => {
    const { socket, head } = await openTunnel(world.port, userOf(id), `${name}.c${id}.silent.test:443`);
    socket.destroy();
    return statusAndReason(head);
  };
  let made = 0;
  /** Requests a page of a name that was never looked up. @throws Error for any other status than 200 */
  const visit = async (id: number) => {
    const url = `http://n${made++}.c${id}.company.test:${world.origin.port}/`;
    const status = statusAndReason(await get(world.port, userOf(id), url));
    if (status !== '200') throw new Error(status);
  };
  return {
    names,
    connect,
    visit,
    port: world.port,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await names.stop();
    },
  };
}

test('the 17th pending name of a company is refused at once with 503 names_busy, while another company is served', async () => {
  await using world = await open();
  const pending = Array.from({ length: 16 }, (_, i) => world.connect(1, `n${i}`));
  await until(() => world.names.asked() >= 16);
  const elapsed = stopwatch();
  expect(await world.connect(1, 'n16')).toBe('503 names_busy');
  await world.visit(51);
  // The 17th name was refused while the 16 look-ups before it still waited.
  expect(elapsed()).toBeLessThan(2_000);
  expect(await Promise.all(pending)).toEqual(Array.from({ length: 16 }, () => '504 timeout'));
});

test(
  'neighbours of 50 companies with 16 silent names each are served without an error',
  () =>
    threatCase(
      'blast radius',
      '50 companies with 16 silent names each: neighbours without an error',
      async (tally) => {
        await using world = await open();
        const many = quickOrSoak(60, 1_000);
        /** Requests a fixed number of new names of all neighbours, four at once in each company. */
        const asked = async () => {
          let left = many * NEIGHBOURS;
          const runs = neighbours.map((id) =>
            measure(
              () => world.visit(id),
              () => left-- > 0,
              { pauseMs: 5, parallel: 4 },
            ),
          );
          const all = await Promise.all(runs);
          return {
            failed: all.flatMap(({ failed }) => failed),
            p99: Math.max(...all.map(({ p99 }) => p99)),
            count: all.reduce((sum, { count }) => sum + count, 0),
          };
        };
        await asked();
        const alone = await asked();
        const before = world.names.asked();
        const ended = new AbortController();
        const outcomes = new Map<string, number>();
        const attack = attackers.flatMap((id) =>
          Array.from({ length: 16 }, async (_, i) => {
            for (let round = 0; !ended.signal.aborted && round < 200; round++) {
              const got = await world.connect(id, `r${round}-${i}`);
              outcomes.set(got, (outcomes.get(got) ?? 0) + 1);
              await sleep(1_000 + 10 * id);
            }
          }),
        );
        await until(() => world.names.asked() > before + 512);
        const beside = await asked();
        ended.abort();
        await Promise.all(attack);
        for (const failure of [...alone.failed, ...beside.failed]) tally.see(false, failure);
        tally.held(beside.count - beside.failed.length);
        tally.note(`p99 ${alone.p99.toFixed(1)} ms alone, ${beside.p99.toFixed(1)} ms beside`);
        expect([...outcomes.keys()].toSorted()).toEqual(['503 names_busy', '504 timeout']);
      },
    ),
  240_000,
);
