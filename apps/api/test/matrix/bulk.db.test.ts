import * as bulk from '@propusk/contract/bulk';
import type { Endpoint } from '@propusk/contract/endpoint';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import {
  addPolicy,
  addProxy,
  addSession,
  addSite,
  addUser,
  insertCompany,
} from '@propusk/test-kit/matrix/inserts';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

const CALLS = quickOrSoak(2_000, 10_000);
const COMPANIES = 3;
/** Ids from here on belong to no row. */
const ABSENT = 900_000_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const kinds = ['users', 'sites', 'policies'] as const;
type Kind = (typeof kinds)[number];

interface Company extends Readonly<Record<Kind, number[]>> {
  readonly id: number;
  /** A text that the names of all rows of the company contain. */
  readonly tag: string;
  readonly token: string;
  readonly owner: number;
  readonly proxyId: number;
}

/** Rows that a call names: of the caller's company, of another company, or absent. */
const picks = fc.array(
  fc.record({
    whose: fc.constantFrom('own', 'own', 'own', 'own', 'own', 'own', 'foreign', 'absent', 'owner' as const),
    which: fc.nat(9),
  }),
  { minLength: 1, maxLength: 4 },
);
type Picks = typeof picks extends fc.Arbitrary<infer T> ? T : never;

const oneKind: readonly (readonly [Endpoint, Kind])[] = [
  [bulk.deleteUsers, 'users'],
  [bulk.usersLoss, 'users'],
  [bulk.inviteManyAgain, 'users'],
  [bulk.remindOfExtension, 'users'],
  [bulk.deleteSites, 'sites'],
  [bulk.sitesLoss, 'sites'],
  [bulk.probeSites, 'sites'],
  [bulk.deletePolicies, 'policies'],
  [bulk.policiesLoss, 'policies'],
];
const asks = fc.record({
  company: fc.nat(COMPANIES - 1),
  call: fc.oneof(
    fc.record({ endpoint: fc.constantFrom(...oneKind), ids: picks }),
    fc.record({
      members: fc.constantFrom(bulk.changeMembers, bulk.changeMembers, bulk.previewMembers),
      policy: picks,
      lists: fc.record({ addUsers: picks, removeUsers: picks, addSites: picks, removeSites: picks }),
      used: fc.subarray(['addUsers', 'removeUsers', 'addSites', 'removeSites'] as const, { minLength: 1 }),
    }),
  ),
});
type Ask = typeof asks extends fc.Arbitrary<infer T> ? T : never;

let serial = 0;

/** Adds rows until the company has ten of each kind. Half of the users are invited. */
async function refill(company: Company): Promise<void> {
  const { db } = api.database;
  const { id, tag } = company;
  while (company.users.length < 10) {
    const email = `${tag}-${serial++}@bulk.test`;
    const user = await addUser(db, { companyId: id, email, roles: ['USER'], hash: 'none' });
    await db
      .updateTable('users')
      .set({ invited: serial % 2 === 0 })
      .where('id', '=', user)
      .execute();
    company.users.push(user);
  }
  while (company.sites.length < 10) company.sites.push(await addSite(db, id, `${tag}-${serial++}.bulk.test`));
  while (company.policies.length < 10)
    company.policies.push(await addPolicy(db, id, { name: `${tag} ${serial++}`, proxyId: company.proxyId }));
}

async function createCompany(n: number): Promise<Company> {
  const { db } = api.database;
  const tag = `tenant${n}x`;
  const { id } = await insertCompany(db, tag);
  await db.updateTable('companies').set({ confirmed: true }).where('id', '=', id).execute();
  const owner = await addUser(db, {
    companyId: id,
    email: `${tag}@bulk.test`,
    roles: ['CREATOR'],
    hash: 'none',
  });
  const proxyId = await addProxy(db, id, `${tag}.proxy.test`);
  const token = await addSession(db, owner);
  const company = { id, tag, token, owner, proxyId, users: [], sites: [], policies: [] };
  await refill(company);
  return company;
}

/** Hashes of the rows of each company, and of its audit events. */
async function digests(): Promise<Map<number, string>> {
  const tables = ['users', 'sites', 'policies', 'policy_users', 'policy_sites', 'site_checks'];
  const parts = tables.map((table) => `select company_id, '${table}' || t::text as row from ${table} t`);
  const { rows } = await api.database.pool.query<{ company: number; digest: string }>(
    `select company_id as company, md5(string_agg(row, ',' order by row)) as digest from (
      ${parts.join(' union all ')}
      union all select u.company_id, l::text from mail_links l join users u on u.id = l.user_id
      union all select company_id, count(*)::text from audit group by 1) rows
     where company_id is not null group by 1`,
  );
  return new Map(rows.map(({ company, digest }) => [company, digest]));
}

/** Builds a request. With `absent`, each id of another company is replaced by an id of no row. */
function requestOf({ call }: Ask, own: Company, other: Company, absent: boolean) {
  const idsOf = (kind: Kind, given: Picks) => [
    ...new Set(
      given.map(({ whose, which }) => {
        if (whose === 'owner' && kind === 'users') return own.owner;
        if (whose === 'absent') return ABSENT + which;
        if (whose === 'foreign') return absent ? ABSENT + 100 + which : (other[kind][which] ?? 0);
        return own[kind][which] ?? 0;
      }),
    ),
  ];
  if ('endpoint' in call) {
    const [endpoint, kind] = call.endpoint;
    return { endpoint, kind, ids: idsOf(kind, call.ids), parts: { body: { ids: idsOf(kind, call.ids) } } };
  }
  const lists = call.used.map((list) => [
    list,
    idsOf(list.endsWith('Users') ? 'users' : 'sites', call.lists[list]),
  ]);
  const [id = 0] = idsOf('policies', call.policy);
  const parts = { params: { id }, body: Object.fromEntries(lists) };
  return { endpoint: call.members as Endpoint, kind: null, ids: [], parts };
}

test(
  `in ${CALLS} random bulk calls of ${COMPANIES} companies, no company sees or changes rows of another company`,
  () =>
    threatCase(
      'tenant isolation',
      'random bulk calls with own, foreign and absent ids: foreign rows stay, and their replies equal those of absent rows',
      async (tally) => {
        const companies: Company[] = [];
        for (let n = 0; n < COMPANIES; n++) companies.push(await createCompany(n));
        const seen = { done: 0, refused: 0, compared: 0 };
        let before = await digests();
        for (const ask of fc.sample(asks, { numRuns: CALLS, seed: 21 })) {
          const own = companies[ask.company] as Company;
          const other = companies[(ask.company + 1) % COMPANIES] as Company;
          const { endpoint, kind, ids, parts } = requestOf(ask, own, other, false);
          const what = `${endpoint.path} ${JSON.stringify([parts, ids])}`;
          await api.database.pool.query('delete from rate_limits');
          const twin = requestOf(ask, own, other, true);
          const hasForeign = JSON.stringify(twin.parts) !== JSON.stringify(parts);
          const reply = await api.call(own.token, endpoint, parts);
          const text = JSON.stringify(reply.body ?? null);
          const after = await digests();
          const strayed = companies.filter(({ id }) => id !== own.id && before.get(id) !== after.get(id));
          tally.see(strayed.length === 0, `${what} changed rows of another company`);
          tally.see(
            ![400, 404].includes(reply.status) || before.get(own.id) === after.get(own.id),
            `${what} changed rows`,
          );
          tally.see(
            companies.every(({ id, tag }) => id === own.id || !text.includes(tag)),
            `${what} shows rows of another company: ${text}`,
          );
          expect([200, 202, 204, 400, 404], `${what} ${text}`).toContain(reply.status);
          const partial: readonly Endpoint[] = [
            bulk.probeSites,
            bulk.inviteManyAgain,
            bulk.remindOfExtension,
          ];
          const isPartial = partial.includes(endpoint);
          if (hasForeign && (isPartial || reply.status >= 400)) {
            await api.database.pool.query('delete from rate_limits');
            const answer = await api.call(own.token, endpoint, twin.parts);
            tally.see(
              shapeOf(reply, ids) === shapeOf(answer, twin.ids),
              `${what}: ${shapeOf(reply, ids)}, and for absent rows ${shapeOf(answer, twin.ids)}`,
            );
            seen.compared++;
          }
          seen[reply.status < 300 ? 'done' : 'refused']++;
          if (reply.status === 204 && kind !== null) {
            own[kind].splice(0, own[kind].length, ...own[kind].filter((id) => !ids.includes(id)));
            await refill(own);
          }
          before = await digests();
        }
        // Enough calls must succeed and fail; otherwise the test would compare refusals alone.
        expect(seen.done).toBeGreaterThan(CALLS / 4);
        expect(seen.refused).toBeGreaterThan(CALLS / 5);
        expect(seen.compared).toBeGreaterThan(CALLS / 5);
        tally.note(
          `${seen.done} succeeded, ${seen.refused} refused, ${seen.compared} compared with absent rows`,
        );
      },
    ),
  quickOrSoak(180_000, 900_000),
);

/** The parts of a reply that must be equal for foreign and absent rows. Refused rows are named by their index. */
function shapeOf({ status, body }: { status: number; body: unknown }, ids: readonly number[]): string {
  const { refused, queued, invitations, ...rest } = (body ?? {}) as Record<string, unknown>;
  const rows = (refused as { id: number; code: string; message: string }[] | undefined)?.map(
    ({ id, ...reason }) => [ids.indexOf(id), reason],
  );
  const emails = (invitations as { email: string }[] | undefined)?.map(({ email }) => email);
  const error = status < 400 ? null : rest;
  return JSON.stringify([status, error, rows, queued, emails]);
}
