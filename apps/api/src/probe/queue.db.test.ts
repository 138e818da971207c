import { createPairing, pair } from '@propusk/contract/auth';
import { probeSites } from '@propusk/contract/bulk';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { checkSite } from '@propusk/contract/probe';
import { createProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { claimCheck, queueDueChecks } from './store.ts';

// This api queues probes and runs none.
let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const query = async (text: string, values: unknown[] = []) =>
  (await api.database.pool.query(text, values)).rows;
beforeEach(() => query('delete from site_checks'));

/** Creates a company whose only policy uses the company's own proxy and contains the given number of sites. */
async function company(sites: number) {
  const { token } = await api.company();
  const proxy = { host: 'proxy.example.ru', port: 3128, username: 'user', password: 'pass' };
  const { id: proxyId } = await api.must(token, createProxy, { body: proxy });
  const { id: policyId } = await api.must(token, createPolicy, { body: { name: 'Склад', proxyId } });
  const ids: number[] = [];
  for (let i = 0; i < sites; i++) {
    const body = { address: `s${i}.example.ru`, politics: [policyId] };
    ids.push((await api.must(token, createSite, { body })).id);
  }
  return { token, policyId, ids };
}
const ask = async (token: string, ids: readonly number[]) => {
  for (const id of ids) await api.must(token, checkSite, { params: { id } });
};
/** Queues probes of the sites as the schedule does. */
async function schedule(ids: readonly number[]) {
  await query(
    `insert into site_checks (company_id, site_id, state, next_at) select company_id, id, 'done', now() from sites
     where id = any ($1)`,
    [ids],
  );
  await queueDueChecks(api.database.db, 100);
}
/** Claims probes one after another without finishing them. */
async function take(most: number): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < most; i++) {
    const claim = await claimCheck(api.database.db);
    if (claim !== null) taken.push(claim.siteId);
  }
  return taken;
}

describe('the probe queue', () => {
  test('the probe queue serves the only probe of one company before further probes of another company', async () => {
    const [many, one] = [await company(8), await company(1)];
    await ask(many.token, many.ids);
    expect(await take(3)).toEqual(many.ids.slice(0, 3));
    await ask(one.token, one.ids);
    expect(await take(1)).toEqual(one.ids);
    expect(await take(10)).toEqual(many.ids.slice(3));
  });

  test('the probe queue serves requested probes before scheduled ones', async () => {
    const [due, asked] = [await company(3), await company(1)];
    await schedule(due.ids);
    await query(
      `update site_checks set state = 'running', begun_at = now() - interval '1 hour'
      where site_id = $1`,
      [due.ids[0]],
    );
    await ask(asked.token, asked.ids);
    expect(await take(1)).toEqual(asked.ids);
    // A probe that the schedule has queued counts as requested when a user requests it.
    await ask(due.token, due.ids.slice(2));
    expect(await take(1)).toEqual(due.ids.slice(2));
  });

  test('the probe queue serves scheduled probes even while many requested probes wait', async () => {
    const [due, asked] = [await company(1), await company(8)];
    await schedule(due.ids);
    await ask(asked.token, asked.ids);
    const first = await take(4);
    expect(first).toContain(due.ids[0]);
    expect(first[0]).toBe(asked.ids[0]);
  });

  test('a scheduled probe that has waited for ten minutes gets the priority of a requested probe', async () => {
    const [due, asked] = [await company(1), await company(2)];
    await schedule(due.ids);
    await query(`update site_checks set started_at = now() - interval '11 minutes'`);
    await ask(asked.token, asked.ids);
    expect(await take(1)).toEqual(due.ids);
  });
});

describe('the schedule of probes', () => {
  const probed = (ids: readonly number[]) =>
    query(
      `insert into site_checks (company_id, site_id, state, finished_at, next_at, fingerprint, policy_version)
       select s.company_id, s.id, 'done', now(), now() + interval '1 day', site_fingerprint(s.company_id, s.id), c.policy_version
       from sites s join companies c on c.id = s.company_id where s.id = any ($1)`,
      [ids],
    );
  const behind = async () =>
    Number(
      (
        await query(`select count(*) from site_checks k join companies c on c.id = k.company_id
          where k.policy_version is distinct from c.policy_version`)
      )[0]?.count,
    );
  const look = () => queueDueChecks(api.database.db, 100);

  test('a policy change that does not affect the lock of a site queues no probe', async () => {
    const { token, ids, policyId } = await company(3);
    await probed(ids);
    await api.agent(token, [policyId]);
    expect(await behind()).toBe(3);
    expect(await look()).toBe(0);
    expect(await behind()).toBe(0);
  });

  test('the schedule queues a probe after a change that affects the lock of the site', async () => {
    const { token, ids, policyId } = await company(3);
    await probed(ids);
    const proxy = { host: 'other.example.ru', port: 3128, username: 'user', password: 'pass' };
    const { id: proxyId } = await api.must(token, createProxy, { body: proxy });
    await api.must(token, updatePolicy, { params: { id: policyId }, body: { proxyId } });
    expect(await look()).toBe(3);
    expect(await look()).toBe(0);
  });

  test('a user can create at most 20 pairing codes in 15 minutes', async () => {
    const { token } = await company(0);
    const from = '10.9.1.1';
    const statuses: number[] = [];
    for (let i = 0; i < 21; i++) {
      const reply = await api.call(token, createPairing, { from });
      statuses.push(reply.status);
      if (reply.status === 200) await api.must(null, pair, { body: { code: reply.body.code }, from });
    }
    expect(statuses.slice(0, 20)).not.toContain(429);
    expect(statuses[20]).toBe(429);
    // The rate limit of one user does not affect another user.
    await api.must((await company(0)).token, createPairing, { from });
  });
});

describe('a bulk request of probes', () => {
  const probe = (token: string, ids: number[]) => api.must(token, probeSites, { body: { ids } });

  test('a bulk request queues every site once, and names sites that were probed recently or are absent', async () => {
    const [one, other] = [await company(3), await company(1)];
    const [first = 0, second = 0, third = 0] = one.ids;
    await query(
      `insert into site_checks (company_id, site_id, state, shown_verdict)
       select company_id, id, 'done', 'open' from sites where id = $1`,
      [second],
    );
    const ids = [first, second, third, other.ids[0] ?? 0, 999_999];
    const { queued, refused } = await probe(one.token, ids);
    expect(queued.toSorted((a, b) => a - b)).toEqual([first, third]);
    expect(refused.map(({ id, code }) => [ids.indexOf(id), code])).toEqual([
      [1, 'too_many_requests'],
      [3, 'not_found'],
      [4, 'not_found'],
    ]);
    expect((await probe(one.token, [first])).queued).toEqual([first]);
    expect(
      await query(`select site_id, state, asked from site_checks where state = 'waiting' order by 1`),
    ).toEqual([
      { site_id: first, state: 'waiting', asked: false },
      { site_id: third, state: 'waiting', asked: false },
    ]);
  });

  test('many sites of one company delay neither the requested nor the scheduled probe of another company', async () => {
    const [many, asking, scheduled] = [await company(30), await company(1), await company(1)];
    await probe(many.token, many.ids);
    expect(await take(2)).toEqual(many.ids.slice(0, 2));
    await ask(asking.token, asking.ids);
    await schedule(scheduled.ids);
    expect(await take(2)).toEqual([...asking.ids, ...scheduled.ids]);
  });

  test('a bulk request counts as one request towards the limit of probes, and a company without confirmed mail is refused', async () => {
    const { token, ids } = await company(2);
    await query('delete from rate_limits');
    for (let n = 0; n < 60; n++) await probe(token, ids);
    expect((await api.call(token, probeSites, { body: { ids } })).error.code).toBe('too_many_requests');
    await query('delete from rate_limits');
    await query(
      `update companies set confirmed = false where id = (select company_id from sites where id = $1)`,
      [ids[0]],
    );
    expect((await api.call(token, probeSites, { body: { ids } })).error.code).toBe('company_unconfirmed');
  });
});
