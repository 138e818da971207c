import * as bulk from '@propusk/contract/bulk';
import { importUsers } from '@propusk/contract/imports';
import { inviteUsers } from '@propusk/contract/invitations';
import { createPolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { createSite, createSites, updateSite } from '@propusk/contract/sites';
import { companyUsers } from '@propusk/contract/users';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

test('an edit of a site with its policies takes at most 5 round trips to the database', async () => {
  const { token } = await api.company();
  const proxyId = (await api.must(token, listProxies)).rows[0]?.id ?? 0;
  const { id: policy } = await api.must(token, createPolicy, { body: { name: 'Продажи', proxyId } });
  const { id } = await api.must(token, createSite, { body: { address: 'crm.round-trips.test' } });
  const trips = await roundTrips('update "sites"', async () => {
    await api.must(token, updateSite, {
      params: { id },
      body: { address: 'crm2.round-trips.test', politics: [policy] },
    });
  });
  expect(trips.map((texts) => texts.map((text) => text.trim().slice(0, 6)))).toEqual([
    ['begin', 'select'],
    ['select', 'select'],
    ['update', 'with p', 'select'],
    ['with s'],
    ['commit'],
  ]);
});

test('an invitation of 50 agents takes at most 10 round trips to the database', async () => {
  const { token } = await api.company();
  const { id } = await api.must(token, createPolicy, { body: { name: 'Поддержка', proxyId: 1 } });
  const emails = Array.from({ length: 50 }, (_, n) => `agent${n}@round-trips.test`);
  const trips = await roundTrips('insert into "users"', async () => {
    await api.must(token, inviteUsers, { body: { emails, politics: [id] } });
  });
  expect(trips.length).toBeLessThanOrEqual(10);
  const { rows } = await api.must(token, companyUsers, {});
  expect(rows.slice(1).map(({ email, politics }) => [email, politics[0]?.id])).toEqual(
    emails.map((email) => [email, id]),
  );
});

test('a bulk change takes the same few round trips to the database for 2 rows as for 200', async () => {
  const { token } = await api.company();
  const body = Array.from({ length: 202 }, (_, n) => ({ address: `s${n}.round-trips.test` }));
  const ids = (await api.must(token, createSites, { body })).rows.map((site) => site.id);
  const { id } = await api.must(token, createPolicy, { body: { name: 'Закупки', proxyId: 1 } });
  const counted = async (
    holding: string,
    some: readonly number[],
    work: (ids: number[]) => Promise<unknown>,
  ) => (await roundTrips(holding, async () => void (await work([...some])))).length;
  for (const some of [ids.slice(0, 2), ids.slice(2)]) {
    const add = (addSites: number[]) =>
      api.must(token, bulk.changeMembers, { params: { id }, body: { addSites } });
    expect(await counted('update "policies"', some, add)).toBe(5);
    const probe = (sites: number[]) => api.must(token, bulk.probeSites, { body: { ids: sites } });
    expect(await counted('insert into site_checks', some, probe)).toBe(6);
    const remove = (sites: number[]) => api.must(token, bulk.deleteSites, { body: { ids: sites } });
    expect(await counted('delete from "sites"', some, remove)).toBe(4);
  }
});

test('the number of round trips of an import does not depend on the number of users', async () => {
  const counts = [];
  for (const count of [3, 900]) {
    const { token } = await api.company();
    const { id } = await api.must(token, createPolicy, { body: { name: 'Склад', proxyId: 1 } });
    const people = Array.from({ length: count }, (_, n) => ({
      email: `import${count}-${n}@round-trips.test`,
      politics: n % 2 === 0 ? [id] : [],
    }));
    const trips = await roundTrips('insert into "users"', async () => {
      await api.must(token, importUsers, { body: { people } });
    });
    counts.push(trips.length);
  }
  expect(counts[1]).toBe(counts[0]);
  expect(counts[1]).toBeLessThanOrEqual(13);
});

/**
 * Runs `work` and records the SQL statements of one transaction.
 * @param holding selects the transaction by a text that one of its statements contains
 * @returns the statements, one list per round trip
 */
async function roundTrips(holding: string, work: () => Promise<void>): Promise<string[][]> {
  const sent: { client: unknown; text: string; trip: number }[] = [];
  const answered = new Map<unknown, number>();
  const query = pg.Client.prototype.query as (...given: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    const [first] = given as unknown as [string | { text: string }];
    const text = typeof first === 'string' ? first : first.text;
    sent.push({ client: this, text, trip: answered.get(this) ?? 0 });
    const answer = query.apply(this, given);
    const count = () => answered.set(this, (answered.get(this) ?? 0) + 1);
    if (answer instanceof Promise) answer.then(count, count);
    return answer as never;
  });
  await work();
  spy.mockRestore();
  const client = sent.find(({ text }) => text.includes(holding))?.client;
  const own = sent.filter((one) => one.client === client);
  const texts = own.map(({ text }) => text);
  const transaction = own.slice(texts.indexOf('begin'), texts.indexOf('commit') + 1);
  return [...Map.groupBy(transaction, ({ trip }) => trip).values()].map((trip) =>
    trip.map(({ text }) => text),
  );
}
