import { me } from '@propusk/contract/me';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { createSite } from '@propusk/contract/sites';
import { updateUser } from '@propusk/contract/users';
import { whyHost, whySite } from '@propusk/contract/why';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

/** Returns the positions of the missing conditions in the explanation, counted from 1. */
const missing = ({ links }: { links: { state: string }[] }) =>
  links.flatMap(({ state }, place) => (state === 'missing' ? [place + 1] : []));

async function scene(address = 'crm.example.ru') {
  const owner = await api.company();
  const agent = await api.agent(owner.token);
  const policy = await api.must(owner.token, createPolicy, { body: { name: 'Продажи', proxyId: 1 } });
  const site = await api.must(owner.token, createSite, { body: { address } });
  const link = async (users: number[], held: boolean) => {
    await api.must(owner.token, updatePolicy, { params: { id: policy.id }, body: { users } });
    if (!held) return;
    await api.database.pool.query(
      'insert into policy_sites (company_id, policy_id, site_id) select company_id, $1, id from sites where id = $2',
      [policy.id, site.id],
    );
  };
  const why = (user = agent.id, asker = owner.token) =>
    api.call(asker, whySite, { params: { id: site.id }, query: { user } });
  return { owner, agent, policy, site, link, why };
}

describe("the explanation of a user's access to a site", () => {
  test('the explanation of access names the first missing condition', async () => {
    const { agent, policy, link, why } = await scene();
    const first = (await why()).body;
    expect([first.allow, first.reason, missing(first)]).toEqual([false, 'no_policy', [2]]);
    expect(first.message).toBe('У пользователя нет политик доступа.');
    expect(first.links.map(({ state }) => state)).toEqual([
      'held',
      'missing',
      'unchecked',
      'unchecked',
      'unchecked',
    ]);
    await link([agent.id], false);
    const second = (await why()).body;
    expect([second.reason, missing(second)]).toEqual(['no_policy', [3]]);
    expect(second.message).toBe('Этот сайт пользователю не открывает ни одна политика доступа.');
    await link([agent.id], true);
    expect((await why()).body).toEqual({
      allow: true,
      reason: null,
      message: 'Доступ есть: его даёт политика «Продажи».',
      until: null,
      advice: null,
      policy: { id: policy.id, name: 'Продажи' },
      proxy: { id: 1, name: 'Шлюз платформы' },
      links: expect.arrayContaining([{ title: 'Порт сайта открыт', state: 'held' }]),
      mends: [],
    });
  });

  test('the explanation of a denied access names the policies that would give access to the site', async () => {
    const { owner, agent, policy, site, link, why } = await scene('mends.example.ru');
    await link([], true);
    const one = (await why()).body;
    expect([one.message, one.mends]).toEqual([
      'Пользователь не состоит в политике «Продажи».',
      [{ id: policy.id, name: 'Продажи' }],
    ]);
    const second = { name: 'Закупки', proxyId: 1, sites: [site.id] };
    await api.must(owner.token, createPolicy, { body: second });
    expect((await why()).body.message).toBe(
      'Пользователь не состоит ни в одной из политик этого сайта: «Продажи», «Закупки».',
    );
    await api.must(owner.token, updateUser, { params: { id: agent.id }, body: { politics: [policy.id] } });
    expect((await why()).body.allow).toBe(true);
  });

  test('the explanation of access names no policy when another company has claimed the host', async () => {
    const first = await scene('mend-held.example.ru');
    await first.link([first.agent.id], true);
    const second = await scene('mend-held.example.ru');
    await second.link([], true);
    const { reason, mends } = (await second.why()).body;
    expect([reason, mends]).toEqual(['no_policy', []]);
  });

  test('an explanation for a user of another company gets the same 404 as for an absent user', async () => {
    const { why } = await scene();
    const stranger = await api.must((await api.company()).token, me);
    const [foreign, absent] = [await why(stranger.id), await why(999_999)];
    expect([foreign.status, foreign.error]).toEqual([404, absent.error]);
    expect(absent.status).toBe(404);
  });

  test('the explanation gives host_taken when another company on shared egress claimed the host first', async () => {
    const first = await scene('held.example.ru');
    await first.link([first.agent.id], true);
    const second = await scene('held.example.ru');
    await second.link([second.agent.id], true);
    expect((await first.why()).body.allow).toBe(true);
    const { body } = await second.why();
    expect([body.reason, missing(body)]).toEqual(['host_taken', [5]]);
    const own = await api.must(second.agent.token, whyHost, {
      query: { host: 'www.held.example.ru', port: 443 },
    });
    expect(own.reason).toBe('host_taken');
  });
});

describe("the explanation of the caller's access to a host", () => {
  test.each<[host: string, port: number, reason: string | null, links: number[]]>([
    ['wiki.why.example.ru', 443, null, []],
    ['WHY.example.ru.', 80, null, []],
    ['wiki.why.example.ru', 8443, 'port_refused', [4]],
    ['other.example.ru', 443, 'site_unknown', [3]],
    ['127.0.0.1', 443, 'bad_host', [3]],
  ])('the explanation of access to %s, port %i, names the reason %s', async (host, port, reason, links) => {
    const { agent, link } = await scene('*.why.example.ru');
    await api.database.pool.query('update sites set claim = null');
    await link([agent.id], true);
    await api.database.pool.query(
      `delete from companies where id <> (select company_id from users where id = $1)`,
      [agent.id],
    );
    const body = await api.must(agent.token, whyHost, { query: { host, port } });
    expect([body.reason, missing(body)]).toEqual([reason, links]);
    expect(body.allow).toBe(reason === null);
  });
});
