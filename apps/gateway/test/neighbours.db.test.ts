import { login } from '@propusk/contract/auth';
import { updatePolicy } from '@propusk/contract/policies';
import { listSites } from '@propusk/contract/sites';
import { get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { startHostileCompany } from '@propusk/test-kit/gateway/hostile-company';
import { ask, during, type Latency, measure } from '@propusk/test-kit/gateway/latency';
import { checkLatency, measureAgain } from '@propusk/test-kit/gateway/overload-bars';
import {
  type Company,
  PASSWORD,
  startWholeProduct,
  untilStatus,
  type WholeProduct,
} from '@propusk/test-kit/gateway/whole-product';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/**
 * One hostile company and clients without credentials try to use up every shared resource at once, while two companies work normally.
 * The attack loads statistics over many rows, starts exports and does not read them, opens tunnels and causes refusals without a
 * pause, and sends requests without credentials from many addresses.
 */

const HEAP_MB = 512;
const [CALM_MS, ATTACK_MS] = [quickOrSoak(2_000, 20_000), quickOrSoak(6_000, 60_000)];
const REFUSED_HOSTS = quickOrSoak(40_000, 159_000);
/** Milliseconds that a busy machine adds to the p99 latency without an attack. */
const FLOOR_MS = {
  signIn: quickOrSoak(2_000, 200),
  list: quickOrSoak(1_500, 100),
  health: quickOrSoak(1_500, 100),
  change: quickOrSoak(1_500, 100),
  request: quickOrSoak(1_500, 100),
  revocation: quickOrSoak(2_000, 1_000),
};

let product: WholeProduct;
let hostile: Company;
let neighbours: Company[];
/** The number of successful requests of the two companies that work normally. */
let passed = 0;

beforeAll(async () => {
  product = await startWholeProduct(inject('serverUrl'), HEAP_MB);
  hostile = await product.company('crm.company.test', product.origin);
  neighbours = [
    await product.company('wiki.company.test', product.calmOrigin),
    await product.company('foreign.company.test', product.calmOrigin),
  ];
  await product.database.pool.query(
    `insert into record_hours (company_id, hour, user_id, site_id, reason, host, visits, count, up, down)
      select (select company_id from users where id = $1), date_trunc('hour', now() - n % 700 * interval '1 hour', 'UTC'), $1, 0,
        'site_unknown', 'h' || n || '.' || repeat('long-label.', 20) || 'test', 0, 1, 0, 0 from generate_series(1, $2::int) n`,
    [hostile.agent.id, REFUSED_HOSTS],
  );
  await product.database.pool.query('analyze record_hours');
});
afterAll(() => product.stop());

test('a hostile company and clients without credentials neither delay other companies, nor fail their calls, nor lose their records', () =>
  threatCase('blast radius', 'a hostile company beside two that work', (tally) =>
    measureAgain(tally, async (round) => {
      await work(500);
      const calm = await work(CALM_MS);
      const end = await startHostileCompany({
        apiPort: product.apiPort,
        gatewayPort: product.gateway.port,
        owner: hostile.owner,
        agent: hostile.agent.who,
        site: hostile.host,
      });
      const beside = await work(ATTACK_MS);
      const answers = await end();
      round.note(JSON.stringify(answers));
      for (const attack of Object.keys(answers))
        round.see(
          Object.keys(answers[attack] ?? {}).some((each) => /^\d/.test(each)),
          `${attack} got no answer`,
        );
      for (const [at, own] of calm.entries())
        for (const what of Object.keys(FLOOR_MS) as (keyof typeof FLOOR_MS)[])
          checkLatency(round, `${what} of ${at}`, own[what], beside[at]?.[what] ?? own[what], FLOOR_MS[what]);
      for (const [name, { ended }] of Object.entries({ api: product.api, gateway: product.gateway }))
        round.see(ended() === null, `the ${name} ended: ${ended()?.slice(0, 300)}`);
      await expect.poll(recorded, { timeout: 90_000 }).toBe(passed);
    }),
  ));

/** The requests of the neighbours' agents that the database has. */
async function recorded(): Promise<number> {
  const { rows } = await product.database.pool.query(
    `select coalesce(sum(count), 0)::int as n from records where kind <> 'refusal' and user_id = any($1)`,
    [neighbours.map(({ agent }) => agent.id)],
  );
  return rows[0].n;
}

type Latencies = Record<keyof typeof FLOOR_MS, Latency>;

/** Runs the work of the two other companies, each from its own network. */
function work(ms: number): Promise<Latencies[]> {
  const wanted = during(ms);
  return Promise.all(neighbours.map((company, at) => workOf(company, `198.51.${at}.7`, wanted)));
}

async function workOf(company: Company, from: string, wanted: () => boolean): Promise<Latencies> {
  const { agent, guest, owner, host, policy, allow } = company;
  const { api, apiPort, gateway } = product;
  const body = { email: agent.email, password: PASSWORD };
  const [signIn, list, health, change, request, revocation] = await Promise.all([
    measure(() => ask(apiPort, `/api${login.path}`, { body, from }), wanted, { pauseMs: 200 }),
    measure(() => ask(apiPort, `/api${listSites.path}`, { token: owner, from }), wanted),
    measure(() => ask(apiPort, '/api/health'), wanted),
    measure(() => api.must(owner, updatePolicy, { id: policy, body: { description: 'Sales' } }), wanted, {
      pauseMs: 200,
    }),
    measure(async () => {
      const got = statusAndReason(await get(gateway.port, agent.who, `http://${host}/small`));
      if (got !== '200') throw new Error(`answered ${got}`);
      passed += 1;
    }, wanted),
    // From the owner's call until the tunnel is closed and a new request is refused.
    measure(
      async (tunnel) => {
        await Promise.all([allow(false), tunnel?.closed]);
        await untilStatus(gateway.port, guest.who, host, '403 no_policy');
      },
      wanted,
      {
        pauseMs: 200,
        prepare: async () => {
          await allow(true);
          await untilStatus(gateway.port, guest.who, host, '200');
          return openTunnel(gateway.port, guest.who, host);
        },
      },
    ),
  ]);
  return { signIn, list, health, change, request, revocation };
}
