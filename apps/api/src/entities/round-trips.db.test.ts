import { createPolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { createSite, updateSite } from '@propusk/contract/sites';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

test('an edit of a site with its policies takes at most 11 statements, begin and commit included', async () => {
  const { token } = await api.company();
  const proxyId = (await api.must(token, listProxies)).rows[0]?.id ?? 0;
  const { id: policy } = await api.must(token, createPolicy, { body: { name: 'Продажи', proxyId } });
  const { id } = await api.must(token, createSite, { body: { address: 'crm.round-trips.test' } });
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  await api.must(token, updateSite, {
    params: { id },
    body: { address: 'crm2.round-trips.test', politics: [policy] },
  });
  const sent = spy.mock.calls.map(([query], at) => ({
    client: spy.mock.contexts[at],
    text: typeof query === 'string' ? query : (query as unknown as { text: string }).text,
  }));
  spy.mockRestore();
  const client = sent.find(({ text }) => text.includes('update "sites"'))?.client;
  const texts = sent.filter((one) => one.client === client).map(({ text }) => text);
  const edit = texts.slice(texts.indexOf('begin'), texts.indexOf('commit') + 1);
  expect(edit.length).toBeGreaterThan(2);
  expect(edit.length).toBeLessThanOrEqual(11);
});
