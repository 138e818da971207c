import { listAudit } from '@propusk/contract/audit';
import { type ImportedPerson, importUsers, previewUsers } from '@propusk/contract/imports';
import { inviteUsers } from '@propusk/contract/invitations';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { createSites, previewSites } from '@propusk/contract/sites';
import { companyUsers, createUser, deleteUser } from '@propusk/contract/users';
import { PASSWORD, startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findStuckMail, openMail } from '../mail/store.ts';

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

let serial = 0;
const person = (given: Partial<ImportedPerson> = {}) => ({
  ...{ email: `person${serial++}@import.test`, name: 'Анна', surname: 'Петрова', politics: [] as number[] },
  ...given,
});
const some = (count: number) => Array.from({ length: count }, () => person());
const load = (token: string, people: object[]) =>
  api.call(token, importUsers, { body: { people: people as ImportedPerson[] } });
const check = (token: string, people: object[]) =>
  api.call(token, previewUsers, { body: { people: people as ImportedPerson[] } });
const users = async (token: string) => (await api.must(token, companyUsers, {})).rows;

/** Reads the recipients of all mails in the outbox and the days until each mail is due. */
async function scheduled(): Promise<Map<string, number>> {
  const { rows } = await api.database.pool.query<{ id: string; sealed: Buffer; days: number }>(
    `select id, sealed, round(extract(epoch from due_at - now()) / 86400)::int as days from mails`,
  );
  return new Map(
    rows.map((row) => [openMail(testEncryption, { ...row, run: '', tries: 1 })?.to ?? '', row.days]),
  );
}

test('an import adds invited users with their own names and policies and mails each of them a link', async () => {
  const { token } = await api.company();
  const policy = (name: string) => api.must(token, createPolicy, { body: { name, proxyId: 1 } });
  const [sales, stock] = [await policy('Продажи'), await policy('Склад')];
  const people = [
    person({ name: 'Анна', politics: [sales.id] }),
    person({ name: '=1+1', surname: '<b>', politics: [sales.id, stock.id] }),
    person({ name: '', surname: '' }),
  ];
  expect((await check(token, people)).body).toMatchObject({ count: 3, mails: [{ count: 3 }], mailed: true });
  expect(await users(token)).toHaveLength(1);
  const made = await load(token, people);
  expect(made.body).toMatchObject({ count: 3, mails: [{ count: 3 }], invitations: [] });
  const added = (await users(token)).slice(1);
  expect(
    added.map(({ email, name, surname, politics }) => ({
      ...{ email, name, surname },
      politics: politics.map(({ id }) => id),
    })),
  ).toEqual(people);
  for (const { invitation } of added) expect(invitation?.expiresAt).toEqual(expect.any(String));
  for (const { email } of people) expect((await inbox.take(email)).text).toContain('#token=');
  const { rows } = await api.must(token, listAudit, { query: { action: 'created', name: 'import.test' } });
  expect(rows.map(({ object }) => object.name).toSorted()).toEqual(
    people.map(({ email }) => email).toSorted(),
  );
});

test('an import with invalid lines names each of them and adds nobody, and its dry run says the same', async () => {
  const { token } = await api.company();
  const stranger = await api.company();
  const foreign = await api.must(stranger.token, createPolicy, {
    body: { name: 'Чужая политика', proxyId: 1 },
  });
  const own = person();
  await api.must(token, createUser, { body: { ...own, password: PASSWORD } });
  const cases: [object[], number, Record<string, string>][] = [
    [
      [person(), person({ email: 'nobody@' }), person({ name: 'x'.repeat(201) }), person({ email: 'x' })],
      400,
      {
        'people.1.email': 'После @ нет имени сервера',
        'people.2.name': 'Не длиннее 200 символов',
        'people.3.email': 'Укажите почту, до @ латиницей: name@company.ru',
      },
    ],
    [
      [person({ email: 'twin@import.test' }), person(), person({ email: 'TWIN@import.test' })],
      400,
      { 'people.2.email': 'Эта почта уже есть в строке 1' },
    ],
    [
      [person(), person({ politics: [foreign.id] }), person({ politics: [999_999] })],
      400,
      {
        'people.1.politics': 'В списке есть запись, которую уже удалили. Обновите страницу',
        'people.2.politics': 'В списке есть запись, которую уже удалили. Обновите страницу',
      },
    ],
    [
      [person(), person({ email: own.email.toUpperCase() }), person({ email: stranger.email })],
      409,
      {
        'people.1.email': 'Этот пользователь уже есть в вашей компании',
        'people.2.email': 'Эта почта уже занята',
      },
    ],
    [some(999), 409, {}],
    [some(1001), 400, { people: 'Не больше 1000' }],
    [[], 400, { people: 'Не меньше 1' }],
  ];
  for (const [people, status, fields] of cases) {
    const answers = [await check(token, people), await load(token, people)];
    for (const answer of answers)
      expect([answer.status, answer.error.fields ?? {}]).toEqual([status, fields]);
  }
  expect(await users(token)).toHaveLength(2);
});

test('imports and their dry runs name at most 20 taken addresses of other companies an hour, but all taken addresses of the caller’s company', async () => {
  const { token } = await api.company();
  const other = await api.company();
  const [own, taken] = [some(30), some(25)];
  expect((await load(other.token, taken)).status).toBe(200);
  expect((await load(token, own)).status).toBe(200);
  // A dry run without taken addresses does not count towards the limit.
  for (let n = 0; n < 25; n++) expect((await check(token, some(2))).status).toBe(200);
  const people = [...taken.slice(0, 15), ...some(5), ...taken.slice(15), ...some(5), ...own];
  const { error } = await check(token, people);
  const at = (fault: string) =>
    Object.entries(error.fields ?? {}).flatMap(([path, text]) =>
      text.startsWith(fault) ? Number(path.split('.')[1]) : [],
    );
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);
  expect(at('Эта почта уже занята')).toEqual([...range(0, 15), ...range(20, 25)]);
  expect(at('Не проверено')).toEqual(range(25, 35));
  expect(at('Этот пользователь уже есть')).toEqual(range(35, 65));
  for (const again of [check, load]) {
    const refused = await again(token, some(1));
    expect([refused.status, refused.error.code]).toEqual([429, 'too_many_requests']);
  }
});

test('an import mails 500 invitations a day and the others on the following days, and they count towards the limits of later imports', async () => {
  const { token } = await api.company();
  expect((await api.call(token, inviteUsers, { body: { emails: ['first@import.test'] } })).status).toBe(200);
  const people = some(900);
  const counts = ({ mails }: { mails: { count: number }[] }) => mails.map(({ count }) => count);
  const preview = await check(token, people);
  expect(counts(preview.body)).toEqual([499, 401]);
  const made = await load(token, people);
  expect(counts(made.body)).toEqual([499, 401]);
  const [today, tomorrow] = made.body.mails.map(({ dueAt }) => Date.parse(dueAt));
  expect((tomorrow ?? 0) - (today ?? 0)).toBe(86_400_000);
  // The link of a scheduled mail is valid for seven days from the time of the mail. Scheduled mails do not count as stuck.
  const later = [...(await scheduled())].filter(([, days]) => days === 1).map(([to]) => to);
  expect(later.toSorted()).toEqual(
    people
      .slice(499)
      .map(({ email }) => email)
      .toSorted(),
  );
  const lifetimes = await api.database.pool.query<{ days: number }>(
    `select distinct round(extract(epoch from expires_at - due_at) / 86400)::int as days from mails where tries = 0`,
  );
  expect(lifetimes.rows).toEqual([{ days: 7 }]);
  await api.database.pool.query(
    `update mails set created_at = now() where due_at < now() + interval '1 hour'`,
  );
  expect((await findStuckMail(api.database.db)).count).toBe(0);
  const next = await api.call(token, inviteUsers, { body: { emails: ['next@import.test'] } });
  expect([next.status, next.error.code]).toEqual([429, 'too_many_requests']);
  expect(counts((await check(token, some(98))).body)).toEqual([98]);

  // The withdrawn invitation of a later day is not mailed.
  const last = (await users(token)).at(-1);
  await api.must(token, deleteUser, { params: { id: last?.id ?? 0 } });
  const kept = people.at(-2)?.email ?? '';
  await api.database.pool.query(
    `delete from mails where due_at < (select max(due_at) - interval '1 second' from mails)`,
  );
  await api.database.pool.query('update mails set due_at = now()');
  await expect.poll(async () => (await scheduled()).size).toBe(0);
  const received = new Set(inbox.mails.map(({ to }) => to));
  expect([received.has(last?.email ?? ''), received.has(kept)]).toEqual([false, true]);
});

test('an import that exceeds the invitations of three days is refused, and the error names this reason', async () => {
  const { token } = await api.company();
  await load(token, some(900));
  await api.database.pool.query(
    `insert into rate_limits select regexp_replace(key, '[^:]+$', to_char(now() at time zone 'utc' + interval '2 days', 'YYYY-MM-DD')),
       0, max(expire) over () from rate_limits where key like 'invitation:%' on conflict do nothing`,
  );
  await api.database.pool.query(`update rate_limits set points = 500 where key like 'invitation:%'`);
  const refused = await load(token, some(1));
  expect([refused.status, refused.error.message]).toEqual([
    429,
    'Приглашения уже расписаны на три дня, по 500 в день. Загрузите меньше строк или повторите завтра',
  ]);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  expect(await users(token)).toHaveLength(901);
});

test('an import with more links than a company may have is refused before a link is stored', async () => {
  const { token } = await api.company();
  const { pool } = api.database;
  await api.must(token, createPolicy, { body: { name: 'Продажи', proxyId: 1 } });
  const id = (await api.must(token, me)).company?.id;
  const made = await pool.query<{ id: number }>(
    `insert into policies (company_id, name, description, proxy_id, proxy_owner_id)
      select company_id, name || n, '', proxy_id, proxy_owner_id from policies, generate_series(1, 101) n where company_id = $1 returning id`,
    [id],
  );
  // A sequence keeps its value when the transaction of the import rolls back.
  await pool.query(`create sequence stored_links;
    create function count_link() returns trigger language plpgsql as $$ begin perform nextval('stored_links'); return new; end $$;
    create trigger count_link before insert on policy_users for each row execute function count_link()`);
  const politics = made.rows.map((policy) => policy.id);
  for (const answer of [
    await check(
      token,
      some(200).map((one) => ({ ...one, politics })),
    ),
    await load(
      token,
      some(200).map((one) => ({ ...one, politics })),
    ),
  ])
    expect([answer.status, answer.error.code]).toEqual([409, 'too_many_objects']);
  expect(await users(token)).toHaveLength(1);
  expect((await pool.query('select is_called as stored from stored_links')).rows).toEqual([
    { stored: false },
  ]);
  await pool.query('drop function count_link cascade; drop sequence stored_links');
});

test('on a full disk, calls that add users or sites in bulk and their previews are refused, and add nothing', async () => {
  // The absent file means that the reserve of the disk is released.
  const full = await startApi(inject('serverUrl'), {
    shared: api.database,
    reserveFile: '/nonexistent/reserve',
  });
  try {
    const { token } = await api.company();
    const [people, emails, body] = [some(2), ['full@import.test'], [{ address: 'full.example.ru' }]];
    const codes = async () =>
      (
        await Promise.all([
          full.call(token, importUsers, { body: { people } }),
          full.call(token, previewUsers, { body: { people } }),
          full.call(token, inviteUsers, { body: { emails } }),
          full.call(token, previewSites, { body }),
          full.call(token, createSites, { body }),
        ])
      ).map(({ status, error }) => `${status} ${error?.code}`);
    await expect.poll(async () => (await full.call(token, createSites, { body: [] })).status).toBe(503);
    expect(await codes()).toEqual(Array(5).fill('503 disk_full'));
    expect(await users(token)).toHaveLength(1);
  } finally {
    await full.close();
  }
});

test('without a mail server, the reply of an import has the links', async () => {
  const quiet = await startApi(inject('serverUrl'));
  try {
    const { token } = await quiet.company();
    const people = some(2);
    const made = await quiet.must(token, importUsers, { body: { people } });
    expect(made).toMatchObject({ mailed: false, invitations: people.map(({ email }) => ({ email })) });
    expect(made.invitations.every(({ link }) => link.includes('#token='))).toBe(true);
  } finally {
    await quiet.close();
  }
});
