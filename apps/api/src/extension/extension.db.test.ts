import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { myAccess } from '@propusk/contract/access';
import { login, logout } from '@propusk/contract/auth';
import { remindOfExtension } from '@propusk/contract/bulk';
import { getCompany } from '@propusk/contract/companies';
import { extensionBuilds } from '@propusk/contract/extension-builds';
import { inviteUsers } from '@propusk/contract/invitations';
import { suspendUser } from '@propusk/contract/role-changes';
import { listSessions } from '@propusk/contract/sessions';
import { companyUsers, getUser, listUsers } from '@propusk/contract/users';
import { errorDetails, errorMessages } from '@propusk/phrases/errors';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'propusk-builds-'));
const stores = { chromium: null, firefox: 'https://addons.mozilla.org/firefox/addon/propusk/' };
let inbox: Inbox;
let api: TestApi;
beforeAll(async () => {
  inbox = await openInbox();
  const settings = { smtpUrl: inbox.url, extensionDir: folder, extensionStores: stores };
  api = await startApi(inject('serverUrl'), { settings });
});
afterAll(async () => {
  await api.close();
  await inbox.close();
  rmSync(folder, { recursive: true });
});

const signIn = async (email: string) =>
  (await api.must(null, login, { body: { email, password: PASSWORD, client: 'extension' } })).token;
const idsWith = async (token: string, extension: 'signed_in' | 'blocked' | 'none') =>
  (await api.must(token, companyUsers, { query: { extension } })).rows.map(({ id }) => id);

test('owners see what the extension of each user reported until its session ends, and ADMINs see only the number of users', async () => {
  const owner = await api.company();
  const agent = await api.agent(owner.token);
  const stateOf = async (token: string) =>
    (await api.must(token, getUser, { params: { id: agent.id } })).extension;
  expect(await stateOf(owner.token)).toBeNull();
  // A gateway password for another program does not count as a signed-in extension.
  await api.must(agent.token, myAccess, { query: { client: 'nightly-1.0', proxyHeldBy: 'policy' } });
  expect(await stateOf(owner.token)).toBeNull();
  const token = await signIn(agent.email);
  // The user has not confirmed the sign-in in the extension yet.
  expect(await stateOf(owner.token)).toBeNull();
  await api.must(token, myAccess, {
    query: { client: 'chromium-extension-1.2.3', proxyHeldBy: 'extension' },
  });
  const reported = { version: '1.2.3', proxyHeldBy: 'extension' };
  expect(await stateOf(owner.token)).toMatchObject({ ...reported, lastSeenAt: expect.any(String) });
  const { rows: sessions } = await api.must(agent.token, listSessions);
  expect(sessions.find(({ client }) => client === 'extension')).toMatchObject(reported);
  expect(await idsWith(owner.token, 'blocked')).toEqual([agent.id]);
  await api.must(token, myAccess, { query: { client: 'chromium-extension-1.2.4' } });
  expect(await stateOf(owner.token)).toMatchObject({ version: '1.2.4', proxyHeldBy: null });
  expect(await idsWith(owner.token, 'blocked')).toEqual([]);
  expect(await idsWith(owner.token, 'signed_in')).toEqual([agent.id]);
  expect(await idsWith(owner.token, 'none')).not.toContain(agent.id);
  const stranger = await api.company();
  expect(await idsWith(stranger.token, 'signed_in')).toEqual([]);

  const admin = await createAdmin(api);
  expect(await stateOf(admin)).toBeUndefined();
  const { rows } = await api.must(admin, listUsers, { query: { name: agent.email } });
  expect(rows[0]).not.toHaveProperty('extension');
  const params = { id: rows[0]?.company?.id ?? 0 };
  const count = async () => (await api.must(admin, getCompany, { params })).extensions;
  expect(await count()).toBe(1);
  await api.must(token, logout);
  expect(await stateOf(owner.token)).toBeNull();
  expect(await count()).toBe(0);
});

test('a reminder is mailed once in seven days to a user who has a password and no signed-in extension', async () => {
  const owner = await api.company();
  const [lacking, having, suspended] = [
    await api.agent(owner.token),
    await api.agent(owner.token),
    await api.agent(owner.token),
  ];
  await api.must(await signIn(having.email), myAccess);
  const body = { suspended: true, currentPassword: PASSWORD };
  await api.must(owner.token, suspendUser, { params: { id: suspended.id }, body });
  await api.must(owner.token, inviteUsers, { body: { emails: ['invited@company.test'] } });
  const invited =
    (await api.must(owner.token, companyUsers, { query: { invited: 'true' } })).rows[0]?.id ?? 0;
  const remind = (token: string, ...ids: number[]) => api.must(token, remindOfExtension, { body: { ids } });
  const stranger = await api.company();
  const foreign = await api.agent(stranger.token);

  const { reminded, refused } = await remind(
    owner.token,
    ...[lacking, having, suspended, foreign].map(({ id }) => id),
    ...[invited, 999_999],
  );
  expect(reminded).toEqual([lacking.id]);
  expect(refused.map(({ id, message }) => [id, message])).toEqual([
    [having.id, errorDetails.extension_in_use()],
    [suspended.id, errorDetails.user_suspended()],
    [foreign.id, errorMessages.not_found],
    [invited, errorDetails.not_joined()],
    [999_999, errorMessages.not_found],
  ]);
  const { text } = await inbox.take(lacking.email);
  expect(text).toContain('/extension/pair');
  expect(await remind(owner.token, lacking.id)).toMatchObject({
    reminded: [],
    refused: [{ id: lacking.id, code: 'too_many_requests', message: errorDetails.reminded_recently() }],
  });
  await api.database.pool.query("delete from rate_limits where key like 'extensionReminder:%'");
  expect((await remind(owner.token, lacking.id)).reminded).toEqual([lacking.id]);
  expect(inbox.mails.filter(({ to }) => [having.email, suspended.email, foreign.email].includes(to))).toEqual(
    [],
  );
});

test('GET /extension returns the signed builds, and null when their list is absent or damaged', async () => {
  const { token } = await api.company();
  const read = () => api.must(token, extensionBuilds);
  const none = { consoleUrl: 'https://pass.propusk.test', signed: null, stores };
  expect(await read()).toEqual({ ...none, consoleUrl: expect.any(String) });
  const builds = { version: '1.2.3', chromiumId: 'a'.repeat(32), firefoxId: 'propusk@pass.example.ru' };
  writeFileSync(join(folder, 'builds.json'), JSON.stringify({ ...builds, base: 'https://x/downloads/' }));
  expect((await read()).signed).toEqual(builds);
  writeFileSync(join(folder, 'builds.json'), '{"version":');
  expect((await read()).signed).toBeNull();
});
