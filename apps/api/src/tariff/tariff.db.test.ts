import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decide } from '@propusk/access/decide';
import { canonicalHost } from '@propusk/access/host';
import { listAudit } from '@propusk/contract/audit';
import type { Endpoint } from '@propusk/contract/endpoint';
import { me } from '@propusk/contract/me';
import { createPlan, listPlans, type PlanInput, planCompanies, updatePlan } from '@propusk/contract/plans';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import {
  createPaidProxy,
  createProxy,
  deleteProxy,
  listProxies,
  updateAnyProxy,
  updateProxy,
} from '@propusk/contract/proxies';
import { createSite, createSites, listSites } from '@propusk/contract/sites';
import {
  answerRequest,
  companyTariff,
  createRequest,
  getContact,
  listRequests,
  myTariff,
  setContact,
  setPhone,
  setTariff,
  startTrial,
  withdrawRequest,
} from '@propusk/contract/tariff';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { answered, startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { readMail } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { indexOf } from '../access/explain.ts';
import { readSnapshot } from '../feed/store.ts';
import { startPlanKeeper } from './keeper.ts';

let api: TestApi;
let twin: TestApi;
let admin: string;
let mailFolder: string;
let trialPlan: number;
beforeAll(async () => {
  mailFolder = await mkdtemp(join(tmpdir(), 'propusk-tariff-'));
  api = await startApi(inject('serverUrl'), { settings: { mailFolder } });
  twin = await startApi(inject('serverUrl'), { shared: api.database, settings: { mailFolder } });
  admin = await createAdmin(api);
  trialPlan = (await api.must(admin, createPlan, { body: { ...full, name: 'Trial', trial: true } })).id;
});
afterAll(async () => {
  await twin.close();
  await api.close();
});

const full = { name: 'Full', paidProxies: true, allSites: true, offered: true, trial: false };
const upstream = { host: 'paid.example.ru', port: 8080, username: 'login', password: 'canary-secret' };

let serial = 0;

async function company(plan?: Partial<PlanInput>) {
  const { token, email } = await api.company();
  const id = (await api.must(token, me)).company?.id ?? 0;
  if (plan !== undefined) {
    const { id: planId } = await api.must(admin, createPlan, {
      body: { ...full, name: `Full ${serial++}`, ...plan },
    });
    await api.must(admin, setTariff, { params: { id }, body: { planId } });
  }
  return { token, email, id };
}

const sql = (text: string, ...values: unknown[]) => api.database.pool.query(text, values);

/** Reads the texts of all mails to an address. */
async function mailsTo(address: string): Promise<string[]> {
  const files = await readdir(mailFolder);
  const mails = await Promise.all(
    files.filter((name) => name.endsWith('.eml')).map((name) => readFile(join(mailFolder, name), 'utf8')),
  );
  return mails.filter((mail) => mail.includes(`To: ${address}`)).map((mail) => readMail(mail).text);
}

const keeper = (of: TestApi, log = { warn: vi.fn<(...facts: unknown[]) => void>() }) => ({
  log,
  ...startPlanKeeper({
    db: of.database.db,
    log,
    outbox: { encryption: testEncryption, wake: () => undefined },
    page: 'http://console.test/dashboard/creator/tariff',
  }),
});

/** Runs one tick of the plan keeper, which stops paid proxies and mails warnings. Expects no logged warning. */
async function keep(): Promise<void> {
  const one = keeper(api);
  await one.tick();
  await one.close();
  expect(one.log.warn).not.toHaveBeenCalled();
}

test('1,000 concurrent creates at two api processes with a limit of 100 create exactly 100 sites', async () => {
  const { token } = await company({ sites: 100 });
  const statuses = new Map<number, number>();
  const create = async (n: number) => {
    const { status } = await answered(() =>
      (n % 2 === 0 ? api : twin).call(token, createSite, { body: { address: `site${n}.example.ru` } }),
    );
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => create(n)));
  expect(Object.fromEntries(statuses)).toEqual({ 201: 100, 409: 900 });
  expect((await api.must(token, listSites, { query: {} })).count).toBe(100);
});

test('the error of a create beyond the limit names the value of the limit and the plan', async () => {
  const { token } = await company({ name: 'Small', people: 2, sites: 1, proxies: 1 });
  await api.must(token, createSite, { body: { address: 'one.example.ru' } });
  const second = await api.call(token, createSite, { body: { address: 'two.example.ru' } });
  expect([second.status, second.error.code]).toEqual([409, 'plan_limit']);
  expect(second.error.message).toMatch(/«Small».* 1 /);
  const many = await api.call(token, createSites, {
    body: [{ address: 'x.example.ru' }, { address: 'y.example.ru' }],
  });
  expect(many.error.code).toBe('plan_limit');
  await api.must(token, createProxy, { body: upstream });
  expect((await api.call(token, createProxy, { body: upstream })).error.code).toBe('plan_limit');
  await api.agent(token);
  await expect(api.agent(token)).rejects.toThrow('plan_limit');
});

test('the api refuses a new policy for all sites if the plan does not include this option', async () => {
  const { token, id } = await company({ name: 'Wide' });
  await sql('update proxies set all_sites = true where direct');
  const direct = (await api.must(token, listProxies, { query: {} })).rows.find((each) => each.direct);
  const body = { name: 'Everything', proxyId: direct?.id ?? 0, allSites: true };
  const policy = await api.must(token, createPolicy, { body });
  const { plan } = await api.must(token, myTariff);
  const narrow = { ...full, name: 'Wide', allSites: false };
  const concerned = await api.must(admin, planCompanies, { params: { id: plan.id }, body: narrow });
  expect(concerned.rows).toMatchObject([{ id, beyond: ['allSites'] }]);
  await api.must(admin, updatePlan, { params: { id: plan.id }, body: narrow });
  expect((await api.call(token, createPolicy, { body })).error.code).toBe('not_in_plan');
  const kept = await api.must(token, updatePolicy, {
    params: { id: policy.id },
    body: { name: 'Renamed', allSites: true },
  });
  expect(kept.allSites).toBe(true);
});

test('50 concurrent requests for a trial at two api processes start one trial', async () => {
  const { token, id } = await company({ sites: 1 });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
  const replies = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      for (;;) {
        const reply = await (n % 2 === 0 ? api : twin).call(token, startTrial);
        if (reply.status !== 503) return reply;
      }
    }),
  ).finally(() => vi.useRealTimers());
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(replies.filter(({ error }) => error?.code === 'no_trial')).toHaveLength(49);
  const { rows } = await sql(
    'select extract(epoch from trial_ends_at - now())::float / 3600 as hours from companies where id = $1',
    id,
  );
  expect(rows[0].hours).toBeGreaterThan(719.9);
  expect(rows[0].hours).toBeLessThanOrEqual(720);
  const { trialRuns, plan } = await api.must(token, myTariff);
  expect([trialRuns, plan.id]).toEqual([true, trialPlan]);
  const events = await api.must(token, listAudit, { query: { take: 50 } });
  expect(events.rows.filter(({ changes }) => changes.trialEndsAt !== undefined)).toHaveLength(1);
});

test("a company's tariff has the plan of its trial, also when the plan is not offered", async () => {
  const { token } = await company({ sites: 1 });
  const params = { id: trialPlan };
  const plan = { ...full, name: 'Trial', trial: true };
  await api.must(admin, updatePlan, { params, body: { ...plan, offered: false } });
  const { trial, offers } = await api.must(token, myTariff);
  await api.must(admin, updatePlan, { params, body: plan });
  expect(trial).toMatchObject({ id: trialPlan, name: 'Trial' });
  expect(offers.map(({ id }) => id)).not.toContain(trialPlan);
});

test('after the end of a trial, the api refuses a new site beyond the limit and keeps the existing sites', async () => {
  const { token, id } = await company({ sites: 1 });
  await api.must(token, startTrial);
  for (const address of ['a.example.ru', 'b.example.ru'])
    await api.must(token, createSite, { body: { address } });
  await sql("update companies set trial_ends_at = now() + interval '700 ms' where id = $1", id);
  await api.must(token, createSite, { body: { address: 'c.example.ru' } });
  const isOver = async () =>
    (await sql('select trial_ends_at < now() as over from companies where id = $1', id)).rows[0].over;
  await expect.poll(isOver).toBe(true);
  const late = await api.call(token, createSite, { body: { address: 'd.example.ru' } });
  expect(late.error.code).toBe('plan_limit');
  expect((await api.must(token, listSites, { query: {} })).count).toBe(3);
  expect((await api.call(token, startTrial)).error.code).toBe('no_trial');
  const body = { planId: trialPlan, trialEndsAt: new Date(Date.now() + 86_400_000).toISOString() };
  expect((await api.must(admin, setTariff, { params: { id }, body })).trialRuns).toBe(true);
});

test('the owner gets one mail from two api processes at 7, 3 and 1 days before a trial ends', async () => {
  const { token, email, id } = await company();
  await api.must(token, startTrial);
  for (const [days, mails] of [
    [8, 0],
    [6.9, 1],
    [6, 1],
    [2.9, 2],
    [0.9, 3],
    [0.1, 3],
  ] as const) {
    // The database's clock cannot be changed, so the test moves the stored end of the trial.
    await sql(
      `with moved as (update companies set trial_ends_at = now() + make_interval(secs => $2::float * 86400) where id = $1
        returning trial_ends_at) update plan_warnings set ends_at = (select trial_ends_at from moved) where company_id = $1`,
      ...[id, days],
    );
    for (let restart = 0; restart < 3; restart++) {
      const [one, other] = [keeper(api), keeper(twin)];
      await Promise.all([one.tick(), other.tick()]);
      await Promise.all([one.close(), other.close()]);
    }
    const ended = (await api.must(token, me)).company?.ending;
    expect(ended?.what).toBe(days > 7 ? undefined : 'trial');
    // Waits until the api processes have sent all queued mails.
    await expect.poll(async () => (await sql('select from mails')).rowCount).toBe(0);
    expect((await mailsTo(email)).length, `${days} days before`).toBe(mails);
  }
});

test('an owner can use a paid proxy that an ADMIN created, but cannot edit or delete the proxy', async () => {
  const { token, id } = await company({ proxies: 1 });
  await api.must(token, createProxy, { body: upstream });
  const paid = await api.must(admin, createPaidProxy, { body: { ...upstream, companyId: id } });
  expect(paid.settings.type).toBe('payment');
  const seen = (await api.must(token, listProxies, { query: {} })).rows.find((each) => each.id === paid.id);
  expect(seen).toMatchObject({ username: '', settings: { type: 'payment' } });
  const params = { id: paid.id };
  for (const body of [{ host: 'thief.example.ru', password: 'stolen' }, { username: 'other' }]) {
    expect((await api.call(token, updateProxy, { params, body })).error.code).toBe('paid_proxy');
  }
  expect((await api.call(token, deleteProxy, { params })).error.code).toBe('paid_proxy');
  await api.must(token, createPolicy, { body: { name: 'Paid', proxyId: paid.id } });
  const poor = await company({ paidProxies: false });
  const refused = await api.call(admin, createPaidProxy, { body: { ...upstream, companyId: poor.id } });
  expect(refused.error.code).toBe('not_in_plan');
});

test('the audit shows the login of a paid proxy to an ADMIN and hides it from the owner', async () => {
  const { token, id } = await company();
  const own = await api.must(token, createProxy, { body: { ...upstream, username: 'own-login' } });
  const body = { ...upstream, username: 'paid-login', companyId: id };
  const { id: paid } = await api.must(admin, createPaidProxy, { body });
  await api.must(admin, updateAnyProxy, { params: { id: paid }, body: { username: 'paid-login-2' } });
  await api.must(admin, deleteProxy, { params: { id: paid } });
  const changes = async (reader: string) =>
    (await api.must(reader, listAudit, { query: { take: 3 } })).rows.map((row) => row.changes);
  expect(await changes(admin)).toMatchObject([
    { username: { from: 'paid-login-2' } },
    { username: { from: 'paid-login', to: 'paid-login-2' } },
    { username: { to: 'paid-login' } },
  ]);
  const seen = await changes(token);
  expect(JSON.stringify(seen)).not.toContain('paid-login');
  expect(seen).toMatchObject([{ host: {} }, { username: {} }, { host: {} }]);
  const { rows } = await api.must(token, listAudit, { query: { take: 4 } });
  expect(rows[3]).toMatchObject({ object: { id: own.id }, changes: { username: { to: 'own-login' } } });
});

test('the tariff of a company does not reveal how many companies have a plan', async () => {
  const { token, id } = await company();
  for (const { plan, trial, offers } of [
    await api.must(token, myTariff),
    await api.must(admin, companyTariff, { params: { id } }),
  ]) {
    expect(offers.length).toBeGreaterThan(0);
    for (const shown of [plan, trial, ...offers]) expect(shown).not.toHaveProperty('companies');
  }
});

test('paid proxies stop 14 days after the end of the plan, and a new plan starts them again', async () => {
  const { token, email, id } = await company();
  const { rows: plans } = await api.must(admin, listPlans);
  const standard = plans.find((plan) => plan.standard) as PlanInput & { id: number; name: string };
  const paidPlan = (await api.must(admin, createPlan, { body: { ...full, name: 'Paid' } })).id;
  const poorPlan = (
    await api.must(admin, createPlan, { body: { ...full, name: 'Poor', paidProxies: false } })
  ).id;
  const give = (planId: number, planEndsAt?: string) =>
    api.must(admin, setTariff, { params: { id }, body: { planId, ...(planEndsAt && { planEndsAt }) } });
  // After the end of a plan, the company gets the standard plan. Paid proxies stop only if that plan excludes paid proxies.
  const input = { ...full, name: standard.name, paidProxies: false };
  await api.must(admin, updatePlan, { params: { id: standard.id }, body: input });
  await give(paidPlan);
  const agent = await api.agent(token);
  const paid = await api.must(admin, createPaidProxy, { body: { ...upstream, companyId: id } });
  const own = await api.must(token, createProxy, { body: upstream });
  const site = async (address: string, proxyId: number) => {
    const { id: siteId } = await api.must(token, createSite, { body: { address } });
    await api.must(token, createPolicy, {
      body: { name: address, proxyId, sites: [siteId], users: [agent.id] },
    });
  };
  await site('paid.crm.ru', paid.id);
  await site('own.crm.ru', own.id);
  const judge = async () => {
    const source = { db: api.database.db, encryption: testEncryption, log: api.app.log };
    const snapshot = await readSnapshot(source, id);
    if (snapshot === null) throw new Error('no snapshot');
    return ['paid.crm.ru', 'own.crm.ru'].map((host) => {
      const name = canonicalHost(host);
      if (name === null) throw new Error(host);
      const decision = decide(indexOf(snapshot), agent.id, name, 443, Date.now());
      return decision.allow ? 'allow' : decision.reason;
    });
  };
  expect(await judge()).toEqual(['allow', 'allow']);

  await give(poorPlan);
  await keep();
  expect(await judge()).toEqual(['allow', 'allow']);
  expect(await api.must(token, myTariff)).toMatchObject({
    paidEnd: { stopped: false, sites: ['paid.crm.ru'] },
    used: { paidProxies: 1, proxies: 1 },
  });
  expect((await api.must(token, me)).company?.ending?.what).toBe('paid');
  await expect.poll(() => mailsTo(email)).toEqual([expect.stringContaining('paid.crm.ru')]);

  await sql("update companies set paid_ends_at = now() - interval '13 days 23 hours' where id = $1", id);
  await keep();
  expect(await judge()).toEqual(['allow', 'allow']);
  const version = await sql('select policy_version from companies where id = $1', id);
  await sql("update companies set paid_ends_at = now() - interval '14 days' where id = $1", id);
  await keep();
  expect(await judge()).toEqual(['plan_ended', 'allow']);
  const bumped = await sql('select policy_version from companies where id = $1', id);
  expect(bumped.rows[0].policy_version).toBe(version.rows[0].policy_version + 1);
  expect(
    (await api.must(token, listProxies, { query: {} })).rows.filter((each) => each.company),
  ).toHaveLength(2);

  await give(paidPlan, new Date(Date.now() + 86_400_000).toISOString());
  expect(await judge()).toEqual(['allow', 'allow']);
  expect((await api.must(token, myTariff)).paidEnd).toBeNull();
  await api.must(admin, updatePlan, { params: { id: standard.id }, body: { ...full, name: standard.name } });
});

test('the operator gets a mail about a tariff request and can answer or refuse it', async () => {
  const { token, email, id } = await company();
  const contact = { name: 'Anna', email: 'sales@platform.test' };
  const stored = await api.must(admin, setContact, { body: { ...contact, telegram: ' @oleg_propusk ' } });
  expect(stored.telegram).toBe('oleg_propusk');
  for (const telegram of ['@@oleg', '@', 'oleg propusk'])
    expect((await api.call(admin, setContact, { body: { ...contact, telegram } })).status).toBe(400);
  await api.must(token, setPhone, { body: { phone: '+79161234567' } });
  const body = { kind: 'plan', planId: trialPlan, text: 'We grow' } as const;
  const asked = await api.must(token, createRequest, { body });
  expect(asked).toMatchObject({
    state: 'open',
    phone: '+79161234567',
    company: { id },
    plan: { id: trialPlan },
  });
  expect((await api.call(token, createRequest, { body })).error.code).toBe('request_open');
  const foreign = await api.call(token, createRequest, { body: { kind: 'plan', planId: 999_999 } });
  expect(foreign.error.code).toBe('request_open');
  await expect
    .poll(() => mailsTo('sales@platform.test'))
    .toEqual([expect.stringContaining('телефон +7 916 123-45-67')]);
  expect((await api.must(admin, listRequests, { query: { state: 'open' } })).rows[0]?.id).toBe(asked.id);

  const params = { id: asked.id };
  const silent = await api.call(admin, answerRequest, { params, body: { state: 'refused' } });
  expect([silent.status, Object.keys(silent.error.fields ?? {})]).toEqual([400, ['reply']]);
  await api.must(admin, answerRequest, { params, body: { state: 'refused', reply: 'Later' } });
  expect((await api.call(admin, answerRequest, { params, body: { state: 'answered' } })).error.code).toBe(
    'request_closed',
  );
  await expect.poll(() => mailsTo(email)).toHaveLength(1);
  expect((await api.call(token, withdrawRequest, { params })).error.code).toBe('request_closed');

  const proxy = await api.must(token, createRequest, { body: { kind: 'paid_proxy' } });
  await api.must(token, withdrawRequest, { params: { id: proxy.id } });
  const { requests } = await api.must(admin, companyTariff, { params: { id } });
  expect(requests.map(({ state }) => state)).toEqual(['withdrawn', 'refused']);
  expect((await api.call(token, createRequest, { body: { kind: 'plan' } })).error.fields).toHaveProperty(
    'planId',
  );
});

test('an answer to a request sets the plan with its end, or the trial, in one transaction, and the audit has both changes', async () => {
  const { token, id } = await company({ sites: 1 });
  const planEndsAt = '2099-01-01T00:00:00.000Z';
  const asked = await api.must(token, createRequest, { body: { kind: 'plan', planId: trialPlan } });
  const answer = {
    params: { id: asked.id },
    body: { state: 'answered' as const, planId: trialPlan, planEndsAt },
  };
  await api.must(admin, answerRequest, answer);
  const set = await api.must(token, myTariff);
  expect(set).toMatchObject({ plan: { id: trialPlan }, planEndsAt, requests: [{ state: 'answered' }] });
  const events = await api.must(token, listAudit, { query: { take: 2 } });
  expect(events.rows.map(({ object, changes }) => [object.kind, Object.keys(changes)])).toEqual([
    ['company', ['plan', 'planEndsAt']],
    ['request', ['state']],
  ]);
  const trial = await api.must(token, createRequest, { body: { kind: 'trial' } });
  const params = { id: trial.id };
  const trialEndsAt = new Date(Date.now() + 86_400_000).toISOString();
  await api.must(admin, answerRequest, { params, body: { state: 'answered', trialEndsAt } });
  expect(await api.must(token, myTariff)).toMatchObject({ ownPlan: set.ownPlan, planEndsAt, trialEndsAt });
  expect(id).toBe(trial.company.id);
});

test('an answer whose plan is refused leaves the request open and the plan as it was', async () => {
  const { token } = await company();
  const asked = await api.must(token, createRequest, { body: { kind: 'plan', planId: trialPlan } });
  const before = await api.must(token, myTariff);
  const trialEndsAt = '2999-01-01T00:00:00.000Z';
  for (const [body, field] of [
    [{ state: 'answered', planId: 999_999 }, 'planId'],
    // Without a plan, the company has the standard plan, which has no end.
    [{ state: 'answered', planEndsAt: '2099-01-01T00:00:00.000Z' }, 'planId'],
    [{ state: 'answered', planId: trialPlan, trialEndsAt }, 'trialEndsAt'],
    [{ state: 'refused', reply: 'No', planId: trialPlan }, 'state'],
  ] as const) {
    const refused = await api.call(admin, answerRequest, { params: { id: asked.id }, body });
    expect([refused.status, Object.keys(refused.error.fields ?? {})]).toEqual([400, [field]]);
    expect(await api.must(token, myTariff)).toEqual(before);
  }
});

test('the list of plans counts the companies that have a plan assigned, by the trial, or after the end of another', async () => {
  const counts = async () => {
    const { rows } = await api.must(admin, listPlans);
    const of = (plan?: { companies: number }) => plan?.companies ?? 0;
    return [of(rows.find(({ id }) => id === trialPlan)), of(rows.find(({ standard }) => standard))];
  };
  const concerned = async () => {
    const { plan } = await api.must(token, myTariff);
    return (await api.must(admin, planCompanies, { params: { id: plan.id }, body: full })).count;
  };
  const { token, id } = await company({ sites: 1 });
  const [trials = 0, standards = 0] = await counts();
  await api.must(token, startTrial);
  expect(await counts()).toEqual([trials + 1, standards]);
  expect(await concerned()).toBe(trials + 1);
  await sql('update companies set trial_ends_at = now(), plan_ends_at = now() where id = $1', id);
  expect(await counts()).toEqual([trials, standards + 1]);
  expect(await concerned()).toBe(standards + 1);
});

test('a PUT of a tariff, a phone or the contact gets 412 for a stale If-Match and changes nothing', async () => {
  const { token, id } = await company();
  const params = { id };
  const plan = { planId: trialPlan };
  const edits = [
    {
      by: admin,
      read: companyTariff,
      edit: setTariff,
      params,
      first: plan,
      later: { ...plan, planEndsAt: '2099-01-01T00:00:00.000Z' },
    },
    { by: token, read: myTariff, edit: setPhone, first: { phone: '+79161234567' }, later: { phone: '' } },
    { by: admin, read: getContact, edit: setContact, first: { name: 'Anna' }, later: { name: 'Vera' } },
  ];
  for (const { by, read, edit, first, later, ...input } of edits as {
    by: string;
    read: Endpoint;
    edit: Endpoint;
    first: object;
    later: object;
  }[]) {
    const { headers } = await api.call(by, read, input);
    const sent = { ...input, headers: { 'if-match': String(headers.etag) } };
    expect((await api.call(by, edit, { ...sent, body: first })).status).toBe(200);
    const stored = await api.must(by, read, input);
    const stale = await api.call(by, edit, { ...sent, body: later });
    expect([stale.status, stale.error.code]).toEqual([412, 'changed_meanwhile']);
    expect(await api.must(by, read, input)).toEqual(stored);
    expect((await api.call(by, edit, { ...input, body: later })).status).toBe(200);
  }
});

test('exactly one of 8 concurrent PUTs of the contact with the same If-Match succeeds', async () => {
  const { headers } = await api.call(admin, getContact);
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      (n % 2 === 0 ? api : twin).call(admin, setContact, {
        body: { name: `Anna ${n}` },
        headers: { 'if-match': String(headers.etag) },
      }),
    ),
  );
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(7).fill(412)]);
});

test('a refused duplicate of an open tariff request does not count towards the daily limit', async () => {
  const { token } = await company();
  const body = { kind: 'paid_proxy' } as const;
  await api.must(token, createRequest, { body });
  for (let n = 0; n < 25; n++)
    expect((await api.call(token, createRequest, { body })).error.code).toBe('request_open');
  for (let n = 1; n < 20; n++) {
    const { id } = await api.must(token, createRequest, { body: { kind: 'trial' } });
    await api.must(token, withdrawRequest, { params: { id } });
  }
  expect((await api.call(token, createRequest, { body: { kind: 'trial' } })).status).toBe(429);
});

test('an ADMIN extends a trial by at most a year', async () => {
  const { token, id } = await company();
  const set = (trialEndsAt: string) =>
    api.call(admin, setTariff, { params: { id }, body: { planId: trialPlan, trialEndsAt } });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  for (const end of ['2999-01-01T00:00:00.000Z', inDays(367)]) {
    const refused = await set(end);
    expect([refused.status, Object.keys(refused.error.fields ?? {})]).toEqual([400, ['trialEndsAt']]);
  }
  expect((await api.must(token, myTariff)).trialEndsAt).toBeNull();
  expect((await set(inDays(365))).status).toBe(200);
});

test('creating or renaming a plan with the name of another plan gets 409', async () => {
  const { id } = await api.must(admin, createPlan, { body: { ...full, name: 'Единственный' } });
  const other = await api.must(admin, createPlan, { body: { ...full, name: 'Другой' } });
  const body = { ...full, name: 'ЕДИНСТВЕННЫЙ' };
  for (const refused of [
    await api.call(admin, createPlan, { body }),
    await api.call(admin, updatePlan, { params: { id: other.id }, body }),
    await api.call(admin, createPlan, { body: { ...full, name: 'Своя установка' } }),
  ])
    expect([refused.status, refused.error?.code]).toEqual([409, 'plan_exists']);
  expect((await api.must(admin, updatePlan, { params: { id }, body })).name).toBe(body.name);
});

test('a plan stays editable when an earlier release stored another plan with the same name', async () => {
  const { id } = await api.must(admin, createPlan, { body: { ...full, name: 'Двойной' } });
  const other = await api.must(admin, createPlan, { body: { ...full, name: 'Двойной 2' } });
  await api.database.pool.query("update plans set name = 'двойной' where id = $1", [other.id]);
  const edit = (name: string) =>
    api.call(admin, updatePlan, { params: { id }, body: { ...full, name, sites: 9 } });
  expect(await edit('Двойной')).toMatchObject({ status: 200, body: { sites: 9 } });
  expect((await edit('ДВОЙНОЙ')).status).toBe(409);
  // Releases up to 0.2 accepted control characters in plan names. Replies escape these characters.
  await api.database.pool.query("update plans set name = E'a\\u202e' where id = $1", [id]);
  expect(await edit('a\\u202e')).toMatchObject({ status: 200, body: { name: 'a\\u202e' } });
  const stored = await api.database.pool.query('select name from plans where id = $1', [id]);
  expect(stored.rows).toEqual([{ name: 'a\u202e' }]);
});

test('marking a plan for trials unmarks the previous trial plan', async () => {
  const before = await api.must(admin, listPlans);
  const moved = await api.must(admin, createPlan, { body: { ...full, name: 'New trial', trial: true } });
  const after = await api.must(admin, listPlans);
  expect(after.rows.filter(({ trial }) => trial).map(({ id }) => id)).toEqual([moved.id]);
  const standard = before.rows.find((plan) => plan.standard);
  const archived = { params: { id: standard?.id ?? 0 }, body: { ...full, offered: false } };
  expect((await api.call(admin, updatePlan, archived)).error.code).toBe('standard_plan');
  await api.must(admin, updatePlan, {
    params: { id: trialPlan },
    body: { ...full, name: 'Trial', trial: true },
  });
});
