import { useLink } from '@propusk/contract/auth';
import { inviteUsers } from '@propusk/contract/invitations';
import { createUser, deleteUser, updateUser } from '@propusk/contract/users';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/** The limits of replies that reveal which addresses have an account. */

let api: TestApi;
/** Email addresses that have accounts in another company. */
let strangers: string[];
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  const other = await api.company();
  strangers = [other.email];
  for (let n = 0; n < 8; n++) strangers.push((await api.agent(other.token)).email);
});
afterAll(() => api.close());

let serial = 0;
const free = () => `free${++serial}@elsewhere.test`;
const create = async (token: string, email: string) =>
  (await api.call(token, createUser, { body: { email, password: PASSWORD, politics: [] } })).status;

/** Adds another owner to the company. @returns the session token of the new owner */
async function colleague(owner: string): Promise<string> {
  const { id, token } = await api.agent(owner);
  await api.database.pool.query("update users set roles = '{CREATOR}' where id = $1", [id]);
  return token;
}

test('a user gets at most 20 email_taken replies an hour, and a company at most 60', async () => {
  const { token, email } = await api.company();
  const agent = await api.agent(token);
  const [second, third, fourth] = [await colleague(token), await colleague(token), await colleague(token)];
  const [taken = ''] = strangers;
  // Unused addresses and addresses of the user's own company do not count for the limit.
  for (let n = 0; n < 25; n++)
    expect(await create(token, n % 2 === 0 ? email : free())).toBe(n % 2 === 0 ? 409 : 201);

  for (let n = 0; n < 6; n++) expect(await create(token, taken)).toBe(409);
  for (let n = 0; n < 7; n++) {
    const change = { params: { id: agent.id }, body: { email: taken } };
    expect((await api.call(token, updateUser, change)).status).toBe(409);
  }
  const move = { email: taken, change: true, currentPassword: PASSWORD } as const;
  expect((await api.call(token, useLink, { body: move })).status).toBe(409);
  // The user has used 14 of 20 email_taken replies, so the error names only six of the nine addresses of the other company.
  // An address of the user's own company does not count for the limit, so the error always names this address.
  const emails = [...strangers, email];
  const invited = await api.call(token, inviteUsers, { body: { emails, politics: [] } });
  expect(invited.status).toBe(409);
  const named = String(invited.error.fields?.emails);
  expect(named).toContain(email);
  expect(strangers.filter((each) => named.includes(each))).toHaveLength(6);

  for (const each of [taken, free()]) {
    expect(await create(token, each)).toBe(429);
    const refused = [
      await api.call(token, updateUser, { params: { id: agent.id }, body: { email: each } }),
      await api.call(token, inviteUsers, { body: { emails: [each], politics: [] } }),
      await api.call(token, useLink, { body: { ...move, email: each } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429]);
  }
  expect(
    (await api.call(token, updateUser, { params: { id: agent.id }, body: { name: 'Anna' } })).status,
  ).toBe(200);
  expect((await api.call(token, deleteUser, { params: { id: agent.id } })).status).toBe(204);

  for (let n = 0; n < 39; n++) expect(await create(n < 20 ? second : third, taken)).toBe(409);
  expect(await create(fourth, free())).toBe(201);
  expect(await create(third, taken)).toBe(409);
  for (const each of [taken, free()]) expect(await create(fourth, each)).toBe(429);
  expect(await create((await api.company()).token, taken)).toBe(409);
});

test('40 concurrent calls of one owner create 40 users', async () => {
  const { token } = await api.company();
  const replies = await Promise.all(Array.from({ length: 40 }, () => create(token, free())));
  expect(new Set(replies)).toEqual(new Set([201]));
});
