import { listAudit } from '@propusk/contract/audit';
import { createPolicy, getPolicy, updatePolicy } from '@propusk/contract/policies';
import { createSite, deleteSite, getSite } from '@propusk/contract/sites';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
let owner: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  owner = (await api.company()).token;
});
afterAll(() => api.close());

const addSite = (address: string, token = owner) => api.must(token, createSite, { body: { address } });
const namesOf = (links: readonly { name: string }[]) => links.map(({ name }) => name);
async function addPolicy(name: string, sites: readonly { id: number }[]) {
  const body = { name, proxyId: 1, sites: sites.map(({ id }) => id) };
  return api.must(owner, createPolicy, { body });
}

test('a policy is created with its sites, and each site lists the policy', async () => {
  const [crm, mail] = [await addSite('crm.created.ru'), await addSite('пример.рф')];
  const policy = await addPolicy('Создание', [crm, mail]);
  expect(namesOf(policy.sites)).toEqual(['crm.created.ru', 'пример.рф']);
  const site = await api.must(owner, getSite, { params: { id: crm.id } });
  expect(site.politics).toEqual([{ id: policy.id, name: 'Создание' }]);
  expect(site.version).toBe(crm.version + 1);
});

test('an edit of a policy changes its sites only if the edit contains the field sites', async () => {
  const [one, two] = [await addSite('one.changed.ru'), await addSite('two.changed.ru')];
  const { id } = await addPolicy('Перемены', [one]);
  const change = (body: object) => api.must(owner, updatePolicy, { params: { id }, body });
  expect(namesOf((await change({ name: 'Новое имя' })).sites)).toEqual(['one.changed.ru']);
  expect(namesOf((await change({ sites: [two.id] })).sites)).toEqual(['two.changed.ru']);
  expect((await change({ sites: [] })).sites).toEqual([]);
  const { rows } = await api.must(owner, listAudit, { query: { name: 'Новое имя' } });
  expect(rows[0]?.changes).toEqual({ sites: { removed: ['two.changed.ru'] } });
});

test('a policy with a site of another company is refused with an error in the field sites', async () => {
  const stranger = await api.company();
  const foreign = await addSite('foreign.test-company.ru', stranger.token);
  const body = { name: 'Чужое', proxyId: 1, sites: [foreign.id] };
  const { status, error } = await api.call(owner, createPolicy, { body });
  expect([status, Object.keys(error.fields ?? {})]).toEqual([400, ['sites']]);
  const unknown = await api.call(owner, createPolicy, { body: { ...body, sites: [999_999] } });
  expect(unknown.error).toEqual(error);
});

test('deleting a site raises the version of the policies that list it', async () => {
  const site = await addSite('gone.deleted.ru');
  const policy = await addPolicy('Удаление', [site]);
  await api.must(owner, deleteSite, { params: { id: site.id } });
  const after = await api.must(owner, getPolicy, { params: { id: policy.id } });
  expect([after.sites, after.version]).toEqual([[], policy.version + 1]);
});

test('a USER sees the sites in a policy that applies to that user', async () => {
  const site = await addSite('own.agents.ru');
  const policy = await addPolicy('Агенты', [site]);
  const agent = await api.agent(owner, [policy.id]);
  const seen = await api.must(agent.token, getPolicy, { params: { id: policy.id } });
  expect(namesOf(seen.sites)).toEqual(['own.agents.ru']);
});
