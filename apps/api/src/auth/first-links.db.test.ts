import { login, register, useLink } from '@propusk/contract/auth';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDb } from '../db/open.ts';
import { makeFirstLinks } from './first-links.ts';

const config = { publicUrl: new URL('https://pass.example.ru'), registration: 'invited' } as const;
const who = { email: 'admin@example.ru', owner: 'owner@example.ru', again: false };

let api: TestApi;
let opened: ReturnType<typeof openDb>;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'), { settings: config });
  opened = openDb(api.database.url);
});
afterAll(async () => {
  await opened.close();
  await api.close();
});

const fragment = (link: string, name: string) =>
  new URLSearchParams(new URL(link).hash.slice(1)).get(name) ?? '';
const setPassword = (link: string) =>
  api.call(null, useLink, { body: { token: fragment(link, 'token'), password: PASSWORD } });

test('the first links set the password of the ADMIN within an hour and register a company, each once', async () => {
  const links = await makeFirstLinks(opened.db, config, who);
  const { rows } = await opened.pool.query(
    `select round(extract(epoch from expires_at - now()) / 60)::int as minutes, token_hash from mail_links`,
  );
  expect(rows).toEqual([{ minutes: 60, token_hash: expect.any(Buffer) }]);
  const [admin, company] = [links?.admin ?? '', links?.company ?? ''];
  expect((await setPassword(admin)).status).toBe(204);
  expect((await setPassword(admin)).error.code).toBe('link_dead');
  expect((await api.call(null, login, { body: { email: who.email, password: PASSWORD } })).status).toBe(200);
  const body = {
    ...{ name: 'Owner', companyName: 'Company', companySite: 'company.test', email: who.owner },
    ...{ password: PASSWORD, invitation: fragment(company, 'invitation') },
  };
  expect((await api.call(null, register, { body })).status).toBe(201);
  expect((await api.call(null, register, { body })).status).not.toBe(201);
});

test('an owner who has an account gets no second invitation, and the ADMIN a link anyway', async () => {
  await makeFirstLinks(opened.db, config, { ...who, owner: 'none@example.ru', again: true });
  const links = await makeFirstLinks(opened.db, config, { ...who, again: true });
  expect(links).toEqual({ admin: expect.stringContaining('#token='), company: null });
});

test('a second run makes no links unless it asks for them, and none for an address that is no ADMIN', async () => {
  await makeFirstLinks(opened.db, config, { ...who, owner: 'second@example.ru', again: true });
  expect(await makeFirstLinks(opened.db, config, { ...who, owner: 'third@example.ru' })).toBeNull();
  const other = { email: 'owner@example.ru', owner: 'third@example.ru', again: true };
  expect(await makeFirstLinks(opened.db, config, other)).toBeNull();
  const links = await makeFirstLinks(opened.db, config, { ...who, owner: 'third@example.ru', again: true });
  expect((await setPassword(links?.admin ?? '')).status).toBe(204);
});
