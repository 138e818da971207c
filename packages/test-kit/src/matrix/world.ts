import type { Db } from '@propusk/api/db/open';
import { ofProcess } from '@propusk/api/identity/passwords';
import { logout } from '@propusk/contract/auth';
import type { Role } from '@propusk/contract/roles';
import { PASSWORD, type TestApi, testKeys, testPasswords } from '../api/api.ts';
import {
  addFactor,
  addInvitation,
  addLink,
  addLockLink,
  addPairing,
  addPlan,
  addPolicy,
  addProxy,
  addRequest,
  addSession,
  addSite,
  addTask,
  addUnpairedVantage,
  addUser,
  addVantage,
  insertCompany,
  sessionId,
} from './inserts.ts';

/** The callers in the order of the table's columns. */
export const callers = [
  'anon',
  'dead',
  'gate',
  'bare',
  'USER',
  'CREATOR',
  'both',
  'ADMIN',
  'USER2',
  'CREATOR2',
] as const;
export type Caller = (typeof callers)[number];

/** The ids of one company and of its rows. The companies of the callers have the same structure. */
export interface Company {
  readonly id: number;
  readonly people: Readonly<
    Record<
      'bare' | 'USER' | 'CREATOR' | 'both' | 'agent' | 'owner' | 'staff' | 'enrolled' | 'invited',
      number
    >
  >;
  readonly agentEmail: string;
  readonly agentSession: number;
  /** Tokens of the agent's password link, email link and pairing code, and of a lock link. */
  readonly links: Readonly<Record<'password' | 'email' | 'pairing' | 'lock', string>>;
  /** The ids of a paired vantage and of one that waits for its machine, with its code. */
  readonly vantages: {
    readonly paired: number;
    /** A task that the paired vantage has taken. */
    readonly task: string;
    readonly unpaired: number;
    readonly code: string;
  };
  readonly proxies: { readonly idle: number; readonly used: number; readonly paid: number };
  readonly request: number;
  /** The caller USER is only in `reached`. */
  readonly policies: { readonly reached: number; readonly unreached: number };
  readonly sites: { readonly reached: number; readonly unreached: number; readonly shared: number };
  readonly address: string;
}

/** A caller's token and companies. */
export interface Standing {
  readonly token: string | null;
  readonly userId: number;
  /** null for a caller without a company. */
  readonly companyId: number | null;
  /** The session of the token, and another session of the same user. */
  readonly sessions?: { readonly asking: number; readonly another: number };
  readonly own: Company;
  readonly other: Company;
}

export interface World {
  readonly standing: Readonly<Record<Caller, Standing>>;
  readonly unstaffed: number;
  readonly plan: number;
  readonly invitation: { readonly id: number; readonly token: string };
  readonly platformProxy: number;
  readonly platformVantage: number;
  readonly directProxy: number;
  readonly secondAdmin: number;
  readonly secondAdminSession: number;
}

export const SHARED_ADDRESS = 'shared.example.ru';

/** Inserts three companies and platform rows by SQL: creating each account through the api would take a minute. */
export async function createWorld({ database: { db }, must }: TestApi): Promise<World> {
  const hash = await testPasswords.hash(PASSWORD, ofProcess);
  const plan = await addPlan(db);
  const first = await addCompany(db, 'first', { hash, plan });
  const second = await addCompany(db, 'second', { hash, plan });
  const { id: unstaffed } = await insertCompany(db, 'third');
  await addUser(db, { companyId: unstaffed, email: 'agent@third.test', roles: ['USER'], hash });
  const admin = await addUser(db, { companyId: null, email: 'admin@platform.test', roles: ['ADMIN'], hash });
  const secondAdmin = await addUser(db, {
    companyId: null,
    email: 'second@platform.test',
    roles: ['ADMIN'],
    hash,
  });
  for (const each of [admin, secondAdmin]) await addFactor(db, each, 'on');
  const invitation = await addInvitation(db, admin, 'invited@guest.test');
  const directProxy = await db
    .selectFrom('proxies')
    .select('id')
    .where('direct', '=', true)
    .executeTakeFirstOrThrow();
  const platformProxy = await addProxy(db, null, 'default.proxy.test');
  const platformVantage = await addVantage(db, null);

  const dead = await addSession(db, first.people.CREATOR);
  await must(dead, logout);
  const outside = { userId: 0, companyId: null, own: first, other: second };
  const member = async (own: Company, other: Company, who: 'bare' | 'USER' | 'CREATOR' | 'both') => ({
    ...(await signedIn(db, own.people[who])),
    userId: own.people[who],
    companyId: own.id,
    own,
    other,
  });
  const standing = {
    anon: { ...outside, token: null },
    dead: { ...outside, token: dead },
    gate: { ...outside, token: testKeys.feed },
    bare: await member(first, second, 'bare'),
    USER: await member(first, second, 'USER'),
    CREATOR: await member(first, second, 'CREATOR'),
    both: await member(first, second, 'both'),
    ADMIN: { ...outside, userId: admin, ...(await signedIn(db, admin)) },
    USER2: await member(second, first, 'USER'),
    CREATOR2: await member(second, first, 'CREATOR'),
  };
  const secondAdminSession = await sessionId(db, await addSession(db, secondAdmin));
  return {
    standing,
    unstaffed,
    plan,
    platformProxy,
    platformVantage,
    directProxy: directProxy.id,
    secondAdmin,
    invitation,
    secondAdminSession,
  };
}

/** Opens two sessions of a user. @returns the token of the first, and the ids of both */
async function signedIn(db: Db, userId: number) {
  const token = await addSession(db, userId);
  const another = await sessionId(db, await addSession(db, userId));
  return { token, sessions: { asking: await sessionId(db, token), another } };
}

async function addCompany(
  db: Db,
  name: string,
  { hash, plan }: { hash: string; plan: number },
): Promise<Company> {
  const { id } = await insertCompany(db, name);
  const insertUser = (email: string, roles: Role[]) =>
    addUser(db, { companyId: id, email: `${email}@${name}.test`, roles, hash });
  const people = {
    bare: await insertUser('bare', []),
    USER: await insertUser('user', ['USER']),
    CREATOR: await insertUser('creator', ['CREATOR']),
    both: await insertUser('both', ['USER', 'CREATOR']),
    agent: await insertUser('agent', ['USER']),
    owner: await insertUser('owner', ['CREATOR']),
    staff: await insertUser('staff', ['ADMIN']),
    enrolled: await insertUser('enrolled', ['USER']),
    invited: await insertUser('invited', ['USER']),
  };
  await db.updateTable('users').set({ invited: true }).where('id', '=', people.invited).execute();
  await addFactor(db, people.enrolled, 'on');
  await addFactor(db, people.both, 'on');
  await addFactor(db, people.CREATOR, 'begun');
  const idle = await addProxy(db, id, `idle.${name}.test`);
  const used = await addProxy(db, id, `used.${name}.test`);
  const paid = await addProxy(db, id, `paid.${name}.test`, 'payment');
  const reached = await addPolicy(db, id, { name: `Reached of ${name}`, proxyId: used });
  const unreached = await addPolicy(db, id, { name: `Unreached of ${name}`, proxyId: used });
  const address = `reached.${name}.example.ru`;
  const sites = {
    reached: await addSite(db, id, address),
    unreached: await addSite(db, id, `unreached.${name}.example.ru`),
    shared: await addSite(db, id, SHARED_ADDRESS),
  };
  const company_id = id;
  const paired = await addVantage(db, id);
  await db
    .insertInto('policy_sites')
    .values([
      { company_id, policy_id: reached, site_id: sites.reached },
      { company_id, policy_id: unreached, site_id: sites.unreached },
    ])
    .execute();
  await db
    .insertInto('policy_users')
    .values([
      { company_id, policy_id: reached, user_id: people.USER },
      { company_id, policy_id: unreached, user_id: people.agent },
    ])
    .execute();
  return {
    id,
    people,
    agentEmail: `agent@${name}.test`,
    agentSession: await sessionId(db, await addSession(db, people.agent)),
    links: {
      password: await addLink(db, people.agent, null),
      email: await addLink(db, people.agent, `moved@${name}.test`),
      pairing: await addPairing(db, people.agent),
      lock: await addLockLink(db, id, sites.reached, people.owner),
    },
    vantages: { paired, task: await addTask(db, paired), ...(await addUnpairedVantage(db, id)) },
    proxies: { idle, used, paid },
    request: await addRequest(db, id, plan),
    policies: { reached, unreached },
    sites,
    address,
  };
}
