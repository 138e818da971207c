import { changeOwnPassword, createPairing, login, pair, useLink } from '@propusk/contract/auth';
import { openLockLink, shareLock } from '@propusk/contract/lock';
import { createProxy, updateAnyProxy, updateProxy } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { createUser, updateUser } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { enrol } from '@propusk/test-kit/api/authenticator';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { hashToken } from '../core/tokens.ts';

let inbox: Inbox;
let api: TestApi;
beforeAll(async () => {
  inbox = await openInbox();
  api = await startApi(inject('serverUrl'), { settings: { smtpUrl: inbox.url } });
});
afterAll(async () => {
  await api.close();
  await inbox.close();
});

test('the audit contains neither secrets from requests or replies nor hashes of these secrets', async () => {
  const canaries: string[] = [];
  const canary = () => {
    const word = `canary-${canaries.length}-${crypto.randomUUID()}`;
    canaries.push(word);
    return word;
  };
  const issued = (secret: string) => {
    canaries.push(secret, hashToken(secret).toString('hex'), hashToken(secret).toString('base64'));
    return secret;
  };
  const linkTo = async (email: string) =>
    issued(/#token=([\w-]{43})/.exec((await inbox.take(email)).text)?.[1] ?? 'no link');

  const names = { name: 'Тайная', companyName: 'Тайная', companySite: 'secret.test' };
  let password = canary();
  const email = 'owner@secret.test';
  const owner = await api.must(null, register, { body: { ...names, email, password } });
  issued(owner.token);
  const next = canary();
  await api.must(owner.token, changeOwnPassword, { body: { currentPassword: password, password: next } });
  password = next;
  await api.call(owner.token, changeOwnPassword, { body: { currentPassword: canary(), password: canary() } });
  await api.call(null, login, { body: { email, password: canary() } });

  const agent = await api.must(owner.token, createUser, {
    body: { email: 'agent@secret.test', password: canary() },
    headers: { 'idempotency-key': canary() },
  });
  await api.must(owner.token, updateUser, { params: { id: agent.id }, body: { password: canary() } });

  const proxy = await api.must(owner.token, createProxy, {
    body: { host: 'way.secret.test', port: 3128, username: 'login', password: canary() },
  });
  const { id } = proxy;
  await api.must(owner.token, updateProxy, { params: { id }, body: { password: canary() } });
  const admin = await createAdmin(api);
  await api.must(admin, updateAnyProxy, { params: { id }, body: { password: canary(), port: 8080 } });

  const site = await api.must(owner.token, createSite, { body: { address: 'crm.example.ru' } });
  const { url } = await api.must(owner.token, shareLock, { params: { id: site.id } });
  const lockToken = issued(new URL(url).hash.slice(1));
  await api.must(null, openLockLink, { body: { token: lockToken } });

  const { code } = await api.must(owner.token, createPairing);
  const extension = await api.must(null, pair, { body: { code: issued(code) } });
  issued(extension.token);

  await api.must(null, useLink, { body: { email } });
  const reset = canary();
  await api.must(null, useLink, { body: { token: await linkTo(email), password: reset } });
  const { token } = await api.must(null, login, { body: { email, password: reset } });
  issued(token);
  await api.must(token, useLink, {
    body: { email: 'moved@secret.test', change: true, currentPassword: reset },
  });
  await api.must(null, useLink, { body: { token: await linkTo('moved@secret.test') } });

  const moved = await api.must(null, login, { body: { email: 'moved@secret.test', password: reset } });
  const factor = await enrol(api, moved.token, reset);
  issued(factor.secret);
  canaries.push(...factor.codes, ...factor.codes.map((code) => code.replaceAll('-', '')));
  await api.must(null, login, {
    body: { email: 'moved@secret.test', password: reset, code: factor.codes[0] },
  });

  const { rows: hashes } = await api.database.pool.query<{ hash: string }>(
    `select password_hash as hash from users union all select encode(password_sealed, 'hex') from proxies where password_sealed is not null`,
  );
  canaries.push(...hashes.map(({ hash }) => hash));
  const { rows } = await api.database.pool.query<{ row: string; action: string; changes: object }>(
    'select a::text as row, action, changes from audit a order by id',
  );
  const everything = rows.map(({ row }) => row).join('\n');
  expect(canaries.length).toBeGreaterThan(30);
  expect(new Set(canaries).size).toBe(canaries.length);
  expect(canaries.filter((one) => one.length < 16)).toEqual([]);
  expect(canaries.filter((one) => everything.includes(one))).toEqual([]);
  // The audit records that a password was set, without a value.
  const secrets = rows.filter(({ changes }) => 'password' in changes);
  expect(secrets.map(({ action, changes }) => [action, (changes as { password: object }).password])).toEqual([
    ['password_changed', {}],
    ['changed', {}],
    ['changed', {}],
    ['changed', {}],
    ['password_reset', {}],
  ]);
  expect(rows.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['lock_shared', 'email_link_asked', 'email_confirmed', 'registered', 'signed_in']),
  );
});
