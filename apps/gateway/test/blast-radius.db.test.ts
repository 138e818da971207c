import { setTimeout as sleep } from 'node:timers/promises';
import { login } from '@propusk/contract/auth';
import { listSites } from '@propusk/contract/sites';
import { get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { ask, during, type Latency, measure } from '@propusk/test-kit/gateway/latency';
import { checkLatency, measureAgain } from '@propusk/test-kit/gateway/overload-bars';
import { attacks } from '@propusk/test-kit/gateway/product-attacks';
import {
  type Company,
  PASSWORD,
  startWholeProduct,
  untilStatus,
  type WholeProduct,
} from '@propusk/test-kit/gateway/whole-product';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, inject, test } from 'vitest';

/**
 * While a stranger, an agent or a company attacks, the users of another company (the neighbour) sign in, read
 * a list, send requests through the gateway and revoke access. The tests measure their latency.
 */

const HEAP_MB = 512;
const CLIENTS = quickOrSoak(50, 500);
const [CALM_MS, ATTACK_MS] = [quickOrSoak(2_000, 20_000), quickOrSoak(1_500, 30_000)];
/** Milliseconds that a busy machine adds to the p99 latency without an attack. A sign-in keeps a whole core busy. */
const FLOOR_MS = {
  signIn: quickOrSoak(1_000, 200),
  list: quickOrSoak(400, 50),
  request: quickOrSoak(400, 50),
  revocation: quickOrSoak(500, 100),
};

let product: WholeProduct;
let attacker: Company;
let neighbour: Company;
let calm: Record<keyof typeof FLOOR_MS, Latency>;
beforeAll(async () => {
  product = await startWholeProduct(inject('serverUrl'), HEAP_MB);
  attacker = await product.company('crm.company.test', product.origin);
  neighbour = await product.company('wiki.company.test', product.calmOrigin);
  // Discard the first round, which compiles code and opens connections.
  await neighbours(500);
  calm = await neighbours(CALM_MS);
});
afterAll(() => product.stop());

/** The quick run skips the attacks that never-read.net.test.ts measures. */
const chosen = Object.entries(attacks).filter(([name]) => quickOrSoak(!/never reads, at/.test(name), true));

test.each(chosen)(
  'another company is served as fast as without an attack, despite %s',
  (name, attack) =>
    threatCase('blast radius', name, (tally) =>
      measureAgain(tally, async (round) => {
        const stop = await attack(product, attacker, CLIENTS);
        const beside = await neighbours(ATTACK_MS);
        stop();
        for (const what of Object.keys(FLOOR_MS) as (keyof typeof FLOOR_MS)[])
          checkLatency(round, what, calm[what], beside[what], FLOOR_MS[what]);
        for (const [process, ended] of [
          ['api', product.api.ended()],
          ['gateway', product.gateway.ended()],
        ])
          round.see(ended === null, `the ${process} ended: ${ended?.slice(0, 300)}`);
        // Leftovers of one attack must not affect the next measurement.
        await sleep(quickOrSoak(200, 2_000));
      }),
    ),
  quickOrSoak(240_000, 300_000),
);

/** Runs the work of the attacked company's neighbour. Each step uses a new connection from a separate network. */
async function neighbours(ms: number): Promise<typeof calm> {
  const wanted = during(ms);
  const from = '198.51.100.7';
  const { agent, guest, owner, host, allow } = neighbour;
  const { apiPort, gateway } = product;
  const body = { email: agent.email, password: PASSWORD };
  const [signIn, list, request, revocation] = await Promise.all([
    measure(() => ask(apiPort, `/api${login.path}`, { body, from }), wanted, { pauseMs: 50 }),
    measure(() => ask(apiPort, `/api${listSites.path}`, { token: owner, from }), wanted),
    measure(async () => {
      const got = statusAndReason(await get(gateway.port, agent.who, `http://${host}/small`));
      if (got !== '200') throw new Error(`answered ${got}`);
    }, wanted),
    // From the owner's call until the tunnel is closed and a new request is refused.
    measure(
      async (tunnel) => {
        await Promise.all([allow(false), tunnel?.closed]);
        await untilStatus(gateway.port, guest.who, host, '403 no_policy');
      },
      wanted,
      {
        prepare: async () => {
          await allow(true);
          await untilStatus(gateway.port, guest.who, host, '200');
          return openTunnel(gateway.port, guest.who, host);
        },
      },
    ),
  ]);
  return { signIn, list, request, revocation };
}
