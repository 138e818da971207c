import { ofProcess } from '@propusk/api/identity/passwords';
import type { Role } from '@propusk/contract/roles';
import { sql } from 'kysely';
import { addPolicy, addProxy, addSession, addSite, addUser, insertCompany } from '../matrix/inserts.ts';
import { createAdmin } from './admin.ts';
import { PASSWORD, type TestApi, testKeys, testPasswords } from './api.ts';
import type { Known } from './arbitrary.ts';

export const callers = ['none', 'USER', 'CREATOR', 'ADMIN', 'gateway'] as const;
export type Caller = (typeof callers)[number];

/** A company that requests may change, and a neighbour that must stay unchanged. */
export interface Fixtures {
  readonly tokens: Readonly<Record<Caller, string | null>>;
  /** Signs every caller in again and restores deleted users. */
  revive(): Promise<void>;
  /** Does the same as `revive`, and adds new rows. */
  restock(): Promise<void>;
  /** Resolves a placeholder to the id or address of a current row. */
  find(wanted: Known, caller: Caller): string | number;
  /** All rows of the neighbour as text. */
  neighbour(): Promise<string>;
}

const tables = ['companies', 'users', 'proxies', 'sites', 'policies'] as const;
// Ids of the neighbour are far from every random number, so that an admin's random request does not hit it
// by chance.
const NEIGHBOUR_IDS = 700_000_000;
const FRESH = 6;

/** Creates the fixtures on an empty database. */
export async function createFixtures(api: TestApi): Promise<Fixtures> {
  const { db } = api.database;
  const hash = await testPasswords.hash(PASSWORD, ofProcess);
  let serial = 0;
  const insertUser = (companyId: number | null, role: Role) =>
    addUser(db, { companyId, email: `user${++serial}@fixtures.test`, roles: [role], hash });
  const countFrom = async (start: number) => {
    for (const table of tables) {
      await sql`alter table ${sql.table(table)} alter column id restart with ${sql.lit(start)}`.execute(db);
    }
  };
  const stock = async (companyId: number, agent: number) => {
    for (let i = 0; i < FRESH; i++) {
      const company_id = companyId;
      const user_id = await insertUser(companyId, 'USER');
      const proxyId = await addProxy(db, companyId, `proxy${++serial}.fixtures.test`);
      await addProxy(db, companyId, `idle${serial}.fixtures.test`);
      const policy_id = await addPolicy(db, companyId, { name: `Policy ${serial}`, proxyId });
      const site_id = await addSite(db, companyId, `stock${serial}.example.ru`);
      await db.insertInto('policy_sites').values({ company_id, policy_id, site_id }).execute();
      const members = [user_id, agent].map((user_id) => ({ company_id, policy_id, user_id }));
      await db.insertInto('policy_users').values(members).execute();
    }
  };
  const exists = async (table: 'companies' | 'users', id: number) =>
    (await db.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
  const poolOf = async (companyId: number): Promise<Pool> => {
    const ids = async (table: 'users' | 'proxies' | 'sites' | 'policies') => {
      const query = db.selectFrom(table).select('id').where('company_id', '=', companyId);
      return (await query.orderBy('id', 'desc').limit(30).execute()).map(({ id }) => id);
    };
    const sites = db.selectFrom('sites').select('address').where('company_id', '=', companyId);
    const addresses = await sites.orderBy('id', 'desc').limit(30).execute();
    const sessions = db.selectFrom('sessions').innerJoin('users', 'users.id', 'sessions.user_id');
    const ofUsers = sessions.select('sessions.id').where('users.company_id', '=', companyId);
    return {
      // The ids of sessions: each key is the first path segment of the calls that take the ids.
      me: (await ofUsers.orderBy('sessions.id', 'desc').limit(30).execute()).map(({ id }) => id),
      users: await ids('users'),
      proxy: await ids('proxies'),
      'domain-allowed': await ids('sites'),
      politics: await ids('policies'),
      company: [companyId],
      address: addresses.map(({ address }) => address),
    };
  };

  await createAdmin(api);
  await countFrom(NEIGHBOUR_IDS);
  const { id: neighbourId } = await insertCompany(db, 'neighbour');
  await addSession(db, await insertUser(neighbourId, 'CREATOR'));
  await stock(neighbourId, await insertUser(neighbourId, 'USER'));
  const foreign = await poolOf(neighbourId);
  await countFrom(1000);
  const platformProxy = await addProxy(db, null, 'default.proxy.test');

  let own: Pool = {};
  let company = 0;
  const users = { USER: 0, CREATOR: 0, ADMIN: 0 };
  const tokens: Record<Caller, string | null> = {
    none: null,
    USER: null,
    CREATOR: null,
    ADMIN: null,
    gateway: testKeys.feed,
  };
  const revive = async () => {
    if (!(await exists('companies', company))) {
      ({ id: company } = await insertCompany(db, 'fixtures'));
      own = await poolOf(company);
    }
    for (const role of ['USER', 'CREATOR', 'ADMIN'] as const) {
      if (!(await exists('users', users[role]))) {
        users[role] = await insertUser(role === 'ADMIN' ? null : company, role);
      }
      tokens[role] = await addSession(db, users[role]);
    }
  };
  const restock = async () => {
    await revive();
    await stock(company, users.USER);
    const spare = await insertCompany(db, `spare${++serial}`);
    own = await poolOf(company);
    own.proxy?.push(platformProxy, 1);
    own.company?.push(spare.id);
  };
  await restock();

  return {
    tokens,
    revive,
    restock,
    find({ kind, nth, foreign: wantsForeign }, caller) {
      // An admin and a gateway may change every company, so they get no ids of the neighbour.
      const stranger = caller === 'none' || caller === 'USER' || caller === 'CREATOR';
      const pool = (wantsForeign && stranger ? foreign : own)[kind] ?? [];
      return pool[nth % Math.max(1, pool.length)] ?? 1;
    },
    async neighbour() {
      // A plan that an ADMIN changes ends the paid proxies of every company that has it.
      const rows: string[] = [];
      for (const [table, column] of neighbourTables) {
        const { rows: found } = await sql<{ row: string }>`
          select (to_jsonb(t) - 'paid_ends_at' - 'paid_stopped')::text as row from ${sql.table(table)} t
          where ${sql.ref(column)} = ${neighbourId} order by 1`.execute(db);
        rows.push(`${table}: ${found.length}`, ...found.map(({ row }) => row));
      }
      return rows.join('\n');
    },
  };
}

type Pool = Record<string, (string | number)[]>;

const neighbourTables = [
  ['companies', 'id'],
  ['users', 'company_id'],
  ['proxies', 'company_id'],
  ['sites', 'company_id'],
  ['policies', 'company_id'],
  ['policy_users', 'company_id'],
  ['timed_members', 'company_id'],
  ['policy_sites', 'company_id'],
] as const;
