import { ofProcess } from '@propusk/api/identity/passwords';
import { deleteCompany } from '@propusk/contract/companies';
import type { Role } from '@propusk/contract/roles';
import { deleteUser } from '@propusk/contract/users';
import { PASSWORD, startApi, type TestApi, testPasswords } from '@propusk/test-kit/api/api';
import { addSession, addUser, insertCompany } from '@propusk/test-kit/matrix/inserts';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

interface Person {
  readonly id: number;
  readonly token: string;
  readonly company: number;
  readonly role: Role;
}

const COMPANIES = 5;
const DELETES = 200;

test(
  `after ${DELETES} concurrent deletions of users by each other, every company has a CREATOR and the platform an ADMIN`,
  () =>
    threatCase(
      'last ADMIN and CREATOR',
      'concurrent deletions of users by each other: every remaining company has a CREATOR, the platform an ADMIN',
      async (tally) => {
        for (let round = 0; round < quickOrSoak(1, 5); round++) {
          await crossDelete();
          tally.held(DELETES);
        }
      },
    ),
  quickOrSoak(30_000, 120_000),
);

/** Runs one round of deletions with new users, so that users of an earlier round do not affect the result. */
async function crossDelete(): Promise<void> {
  await api.database.pool.query('truncate companies, users cascade');
  const people = await crowd();
  const of = (role: Role, company?: number) =>
    people.filter((one) => one.role === role && (company === undefined || one.company === company));
  const powerful = people.filter(({ role }) => role !== 'USER');
  const deletes = Array.from({ length: DELETES }, (_, n) => {
    const actor = powerful[n % powerful.length] as Person;
    // Half of the calls target owners and ADMINs, whom the api refuses to delete; the rest target agents.
    const reach = actor.role === 'ADMIN' ? undefined : actor.company;
    const aims =
      Math.floor(n / powerful.length) % 2 === 0
        ? [...of('CREATOR', reach), ...of('ADMIN')]
        : of('USER', reach);
    const { id } = aims[(n * 7) % aims.length] as Person;
    return api.call(actor.token, deleteUser, { params: { id } });
  });
  const [admin] = of('ADMIN');
  const dissolved = [...new Set(people.map(({ company }) => company))].filter((id) => id !== 0).slice(0, 2);
  const dissolutions = dissolved.map((id) =>
    api.call(admin?.token ?? null, deleteCompany, { params: { id }, body: { currentPassword: PASSWORD } }),
  );

  const statuses = (await Promise.all([...deletes, ...dissolutions])).map(({ status }) => status);
  expect(statuses.filter((status) => ![204, 401, 403, 404].includes(status))).toEqual([]);
  expect(statuses).toContain(204);
  const { rows } = await api.database.pool.query(
    `select (select count(*) from companies) as live,
      (select count(distinct company_id) from users where 'CREATOR' = any (roles)) as owned,
      (select count(*) from users where roles = '{CREATOR}') as owners,
      (select count(*) from users where 'ADMIN' = any (roles)) as admins`,
  );
  expect(rows[0]).toEqual({
    live: COMPANIES - dissolved.length,
    owned: COMPANIES - dissolved.length,
    owners: of('CREATOR').length - of('CREATOR', dissolved[0]).length - of('CREATOR', dissolved[1]).length,
    admins: of('ADMIN').length,
  });
}

/** Creates five companies with four owners and six agents each, and four admins, whose `company` is 0. */
async function crowd(): Promise<Person[]> {
  const { db } = api.database;
  const people: Person[] = [];
  const add = async (role: Role, company: number) => {
    const email = `person${people.length}@crowd.test`;
    const companyId = company === 0 ? null : company;
    const id = await addUser(db, {
      companyId,
      email,
      roles: [role],
      hash: await testPasswords.hash(PASSWORD, ofProcess),
    });
    people.push({ id, token: await addSession(db, id), company, role });
  };
  for (let n = 0; n < 4; n++) await add('ADMIN', 0);
  for (let n = 0; n < COMPANIES; n++) {
    const { id } = await insertCompany(db, `crowd ${n}`);
    for (let owner = 0; owner < 4; owner++) await add('CREATOR', id);
    for (let agent = 0; agent < 6; agent++) await add('USER', id);
  }
  return people;
}
