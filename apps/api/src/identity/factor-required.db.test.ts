import { readFile } from 'node:fs/promises';
import { myAccess } from '@propusk/contract/access';
import { listAudit } from '@propusk/contract/audit';
import { createPairing, login, pair, useLink } from '@propusk/contract/auth';
import { myCompany, updateMyCompany } from '@propusk/contract/companies';
import type { Endpoint } from '@propusk/contract/endpoint';
import { endpoints } from '@propusk/contract/endpoints';
import { me } from '@propusk/contract/me';
import { endSecondFactor, renewRecoveryCodes, resetSecondFactor } from '@propusk/contract/second-factor';
import { createSite } from '@propusk/contract/sites';
import { allCompanyUsers, deleteUser } from '@propusk/contract/users';
import { whySite } from '@propusk/contract/why';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { enrol } from '@propusk/test-kit/api/authenticator';
import { nameOf } from '@propusk/test-kit/matrix/calls';
import { addLink, addSession, addUser } from '@propusk/test-kit/matrix/inserts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readSnapshot } from '../feed/store.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

let addresses = 0;
const fresh = () => `10.15.0.${addresses++}`;
const require = (token: string, secondFactorRequired: boolean) =>
  api.call(token, updateMyCompany, { body: { secondFactorRequired } });
const access = (token: string) => api.call(token, myAccess);

/** Creates a company that requires a second factor. The owner has a second factor; the agent has none. */
async function strict() {
  const owner = await api.company();
  await enrol(api, owner.token);
  const agent = await api.agent(owner.token);
  const { id } = await api.must(owner.token, myCompany);
  expect((await require(owner.token, true)).status).toBe(200);
  return { owner, agent, companyId: id };
}

const usersIn = async (companyId: number) => {
  const source = { db: api.database.db, encryption: testEncryption, log: api.app.log };
  const { users = [], version } = (await readSnapshot(source, companyId)) ?? {};
  return { ids: users.map(({ id }) => id), version };
};

describe('a company that requires a second factor', () => {
  test('an owner without a second factor cannot make second factors mandatory for the company', async () => {
    const owner = await api.company();
    expect((await require(owner.token, true)).error.code).toBe('own_factor_first');
    // Turning the requirement off succeeds even if the requirement is already off.
    expect((await require(owner.token, false)).status).toBe(200);
    await enrol(api, owner.token);
    const { version } = await api.must(owner.token, myCompany);
    const stale = await api.call(owner.token, updateMyCompany, {
      body: { secondFactorRequired: true },
      headers: { 'if-match': `"${version - 1}"` },
    });
    expect(stale.status).toBe(412);
    expect((await require(owner.token, true)).body).toMatchObject({
      secondFactorRequired: true,
      version: version + 1,
    });
    expect((await api.must(owner.token, me)).company?.secondFactorRequired).toBe(true);
  });

  /** The calls that a user who lacks a required second factor may make. The api must refuse every other call. */
  const open = [
    'GET /me',
    'GET /me/second-factor',
    'POST /me/second-factor',
    'POST /me/second-factor/confirm',
    'POST /me/second-factor/recovery',
    'POST /me/second-factor/off',
    'PUT /me/password',
    'GET /me/sessions',
    'DELETE /me/sessions',
    'DELETE /me/sessions/:id',
    'DELETE /auth/logout',
  ];
  const signedIn = endpoints.filter(({ access }) => Array.isArray(access) || access === 'signed-in');

  test('the contract lets a user who lacks a required second factor make only a fixed set of calls', () => {
    expect(
      signedIn
        .filter(({ beforeFactor }) => beforeFactor)
        .map(nameOf)
        .toSorted(),
    ).toEqual(open.toSorted());
  });

  test.each(signedIn.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    'a user who lacks a required second factor is refused %s, unless the contract allows that call',
    async (name, endpoint) => {
      const { companyId } = await (strictOnce ??= strict());
      const { db } = api.database;
      const person = { companyId, email: `${name}@every.test`, hash: 'none' };
      // The user has every role, so no call is refused for a missing role.
      const id = await addUser(db, { ...person, roles: ['USER', 'CREATOR', 'ADMIN'] });
      const reply = await send(await addSession(db, id), endpoint);
      if (open.includes(name)) expect(reply.statusCode).not.toBe(403);
      else {
        expect(reply.statusCode).toBe(403);
        expect(reply.json()).toEqual({
          code: 'second_factor_required',
          message: 'Ваша компания требует второй фактор. Включите его в консоли, и доступ откроется',
        });
      }
      await db.deleteFrom('users').where('id', '=', id).execute();
    },
  );
  let strictOnce: ReturnType<typeof strict> | undefined;

  const send = (token: string, { method, path }: Endpoint) =>
    api.app.inject({
      method,
      url: `/api${path.replace(/:\w+/g, '1')}`,
      headers: { authorization: `Bearer ${token}` },
    });

  test('a user who has not set up the required second factor can request a password link but cannot change the email', async () => {
    const { agent } = await strict();
    const body = { email: agent.email };
    expect((await api.call(agent.token, useLink, { body, from: fresh() })).status).toBe(204);
    const change = { email: 'taken-over@company.test', change: true, currentPassword: PASSWORD };
    expect((await api.call(agent.token, useLink, { body: change, from: fresh() })).status).toBe(401);
  });

  test('a user without a required second factor gets no access through an earlier pairing code', async () => {
    const owner = await api.company();
    await enrol(api, owner.token);
    const agent = await api.agent(owner.token);
    const { code } = await api.must(agent.token, createPairing);
    expect((await access(agent.token)).status).toBe(200);
    await require(owner.token, true);
    expect((await api.call(agent.token, createPairing)).error.code).toBe('second_factor_required');
    const paired = await api.must(null, pair, { body: { code }, from: fresh() });
    for (const token of [agent.token, paired.token]) {
      expect((await access(token)).error.code).toBe('second_factor_required');
      expect((await api.call(token, me)).status).toBe(200);
    }
  });

  test('the snapshot omits a user without a required second factor until the user sets up a second factor', async () => {
    const { owner, agent, companyId } = await strict();
    const shut = await usersIn(companyId);
    expect(shut.ids).not.toContain(agent.id);
    expect(shut.ids).toHaveLength(1);
    await enrol(api, agent.token);
    const opened = await usersIn(companyId);
    expect(opened.ids).toContain(agent.id);
    expect(opened.version).toBeGreaterThan(shut.version ?? 0);
    expect((await access(agent.token)).status).toBe(200);
    // A user created later is not in the snapshot until the company stops requiring a second factor.
    const late = await api.agent(owner.token);
    expect((await usersIn(companyId)).ids).not.toContain(late.id);
    const { version } = await usersIn(companyId);
    await require(owner.token, false);
    expect((await usersIn(companyId)).ids).toContain(late.id);
    expect((await usersIn(companyId)).version).toBeGreaterThan(version ?? 0);
  });

  test('an owner sees that a user has no access because of a missing second factor', async () => {
    const { owner, agent } = await strict();
    const { rows } = await api.must(owner.token, allCompanyUsers);
    expect(rows.map(({ secondFactor }) => secondFactor)).toEqual([true, false]);
    const site = await api.must(owner.token, createSite, { body: { address: 'crm.example.ru' } });
    const query = { user: agent.id };
    expect(await api.must(owner.token, whySite, { params: { id: site.id }, query })).toMatchObject({
      allow: false,
      reason: 'second_factor_required',
    });
  });

  test('requiring a second factor blocks no other company and no user with a second factor', async () => {
    const { owner, agent } = await strict();
    const other = await api.company();
    expect((await access(other.token)).status).toBe(200);
    expect((await access(owner.token)).status).toBe(200);
    expect((await api.call(agent.token, me)).status).toBe(200);
  });
});

test('the audit records each change of a second factor and contains no code and no secret', async () => {
  const owner = await api.company();
  const { codes: ownerCodes } = await enrol(api, owner.token);
  const agent = await api.agent(owner.token);
  const { secret, codes } = await enrol(api, agent.token);
  const [first = '', second = '', third = ''] = codes;
  const { email } = agent;
  const body = { email, password: PASSWORD, code: first };
  expect((await api.call(null, login, { body, from: fresh() })).status).toBe(200);
  const proof = (code: string) => ({ currentPassword: PASSWORD, code });
  const renewed = await api.must(agent.token, renewRecoveryCodes, { body: proof(second) });
  await api.call(agent.token, endSecondFactor, { body: proof(third) });
  await api.must(agent.token, endSecondFactor, { body: proof(renewed.codes[0] ?? '') });
  await enrol(api, agent.token);
  await require(owner.token, true);
  await api.must(owner.token, resetSecondFactor, { params: { id: agent.id }, body: {} });
  await require(owner.token, false);
  const { rows } = await api.must(owner.token, listAudit, { query: { order: 'ASC', take: 100 } });
  const events = rows.filter(({ action }) => /factor|recovery|changed/.test(action));
  expect(events.map(({ actor, action, object }) => [actor.email, action, object.name])).toEqual([
    [owner.email, 'second_factor_on', owner.email],
    [email, 'second_factor_on', email],
    [email, 'recovery_code_used', email],
    [email, 'recovery_code_used', email],
    [email, 'recovery_codes_renewed', email],
    [email, 'recovery_code_used', email],
    [email, 'second_factor_off', email],
    [email, 'second_factor_on', email],
    [owner.email, 'changed', expect.stringMatching(/^Компания/)],
    [owner.email, 'second_factor_reset', email],
    [owner.email, 'changed', expect.stringMatching(/^Компания/)],
  ]);
  expect(events[8]?.changes).toEqual({ secondFactorRequired: { from: false, to: true } });
  const audit = JSON.stringify(rows);
  for (const each of [secret, ...codes, ...ownerCodes, ...renewed.codes]) expect(audit).not.toContain(each);
});

describe('the reset of a lost second factor', () => {
  const reset = (token: string, id: number, body = {}) =>
    api.call(token, resetSecondFactor, { params: { id }, body });
  const proof = { currentPassword: PASSWORD };
  const epoch = async (id: number) =>
    (await api.database.pool.query('select gateway_epoch as epoch from users where id = $1', [id])).rows[0]
      .epoch;

  test('an owner can reset the second factor of an agent, which ends all access of the agent', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    expect((await reset(owner.token, agent.id)).error.code).toBe('second_factor_off');
    await enrol(api, agent.token);
    const before = await epoch(agent.id);
    const link = await addLink(api.database.db, agent.id, null);
    expect((await reset(owner.token, agent.id)).status).toBe(204);
    expect(await epoch(agent.id)).toBe(before + 1);
    expect((await api.call(agent.token, me)).status).toBe(401);
    const body = { token: link, password: 'another horse' };
    expect((await api.call(null, useLink, { body, from: fresh() })).error.code).toBe('link_dead');
    const { email } = agent;
    const signedIn = await api.call(null, login, { body: { email, password: PASSWORD }, from: fresh() });
    expect(signedIn.status).toBe(200);
    expect((await api.must(signedIn.body.token, me)).secondFactor).toBe(false);
  });

  test('only another user who is an ADMIN can reset the second factor of an owner or ADMIN', async () => {
    const owner = await api.company();
    await enrol(api, owner.token);
    const { company, id } = await api.must(owner.token, me);
    const hash = 'none';
    const { db } = api.database;
    const second = await addUser(db, {
      companyId: company?.id ?? 0,
      email: 'second.owner@company.test',
      roles: ['CREATOR'],
      hash,
    });
    const secondToken = await addSession(db, second);
    expect((await reset(secondToken, id)).error.code).toBe('protected_user');
    expect((await reset(owner.token, id)).error.code).toBe('own_account');
    const admin = await createAdmin(api);
    const { codes } = await enrol(api, admin);
    const ofAdmin = { ...proof, code: codes[0] };
    expect((await reset(admin, (await api.must(admin, me)).id, ofAdmin)).error.code).toBe('own_account');
    const otherAdmin = await createAdmin(api, 'other.admin@platform.test');
    expect((await reset(otherAdmin, id)).status).toBe(400);
    expect((await reset(otherAdmin, id, proof)).status).toBe(204);
    expect((await reset(otherAdmin, (await api.call(admin, me)).body.id, proof)).status).toBe(204);
    expect((await api.call(owner.token, me)).status).toBe(401);
  });

  test('the SQL statement in operating.md resets the second factor of the only admin', async () => {
    const email = 'only.admin@platform.test';
    const admin = await createAdmin(api, email);
    await enrol(api, admin);
    const { id } = await api.must(admin, me);
    const before = await epoch(id);
    const text = await readFile(new URL('../../../../docs/operating.md', import.meta.url), 'utf8');
    const statement = /```sql\n([^`]*second_factors[^`]*)```/.exec(text)?.[1] ?? '';
    expect(statement).toContain('admin@example.ru');
    await api.database.pool.query(statement.replace('admin@example.ru', email));
    expect(await epoch(id)).toBe(before + 1);
    expect((await api.call(admin, me)).status).toBe(401);
    const body = { email, password: PASSWORD };
    expect((await api.call(null, login, { body, from: fresh() })).status).toBe(200);
    const { rows } = await api.database.pool.query('select from recovery_codes where user_id = $1', [id]);
    expect(rows).toEqual([]);
  });

  test('deleting a user deletes the second factor and its recovery codes', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    await enrol(api, agent.token);
    await api.must(owner.token, deleteUser, { params: { id: agent.id } });
    const { rows } = await api.database.pool.query(
      'select (select count(*) from second_factors where user_id = $1) + (select count(*) from recovery_codes where user_id = $1) as n',
      [agent.id],
    );
    expect(rows).toEqual([{ n: 0 }]);
  });
});
