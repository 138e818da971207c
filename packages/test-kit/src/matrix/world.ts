import type { Db } from '@propusk/api/db/open';
import { hashPassword, ofProcess } from '@propusk/api/passwords';
import { logout } from '@propusk/contract/auth';
import type { Role } from '@propusk/contract/roles';
import { PASSWORD, type TestApi, testKeys } from '../api/api.ts';
import {
  addFactor,
  addLink,
  addLockLink,
  addPairing,
  addPolicy,
  addProxy,
  addSession,
  addSite,
  addUser,
  insertCompany,
  sessionId,
} from './inserts.ts';

/** In the order of the table's columns. */
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

/** Ids of one company and of what is in it; the two that callers belong to are alike. */
export interface Company {
  readonly id: number;
  readonly people: Readonly<
    Record<'bare' | 'USER' | 'CREATOR' | 'both' | 'agent' | 'owner' | 'staff' | 'enrolled', number>
  >;
  readonly agentEmail: string;
  readonly agentSession: number;
  /** Tokens of links in the agent's mail: one for a password, one for a new address; a code for the extension; and a link to a lock. */
  readonly links: Readonly<Record<'password' | 'email' | 'pairing' | 'lock', string>>;
  readonly proxies: { readonly idle: number; readonly used: number };
  /** A plain USER is in the first one alone. */
  readonly policies: { readonly reached: number; readonly unreached: number };
  readonly sites: { readonly reached: number; readonly unreached: number; readonly shared: number };
  readonly address: string;
}

/** Where a caller stands: the token that is sent, and which company is the own one. */
export interface Standing {
  readonly token: string | null;
  readonly userId: number;
  /** null: of no company. */
  readonly companyId: number | null;
  /** The session of the token, and another one of the same person. */
  readonly sessions?: { readonly asking: number; readonly another: number };
  readonly own: Company;
  readonly other: Company;
}

export interface World {
  readonly standing: Readonly<Record<Caller, Standing>>;
  readonly unstaffed: number;
  readonly platformProxy: number;
  readonly directProxy: number;
  readonly secondAdmin: number;
  readonly secondAdminSession: number;
}

export const SHARED_ADDRESS = 'shared.example.ru';

/** Two companies, a third one and the platform, put there by SQL: a hash and a session for each would take a minute. */
export async function createWorld({ database: { db }, must }: TestApi): Promise<World> {
  const hash = await hashPassword(PASSWORD, ofProcess);
  const first = await addCompany(db, 'first', hash);
  const second = await addCompany(db, 'second', hash);
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
  const directProxy = await db
    .selectFrom('proxies')
    .select('id')
    .where('direct', '=', true)
    .executeTakeFirstOrThrow();
  const platformProxy = await addProxy(db, null, 'default.proxy.test');

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
    platformProxy,
    directProxy: directProxy.id,
    secondAdmin,
    secondAdminSession,
  };
}

/** A token of a person, and the ids of its session and of one more. */
async function signedIn(db: Db, userId: number) {
  const token = await addSession(db, userId);
  const another = await sessionId(db, await addSession(db, userId));
  return { token, sessions: { asking: await sessionId(db, token), another } };
}

async function addCompany(db: Db, name: string, hash: string): Promise<Company> {
  const { id } = await insertCompany(db, name);
  const person = (email: string, roles: Role[]) =>
    addUser(db, { companyId: id, email: `${email}@${name}.test`, roles, hash });
  const people = {
    bare: await person('bare', []),
    USER: await person('user', ['USER']),
    CREATOR: await person('creator', ['CREATOR']),
    both: await person('both', ['USER', 'CREATOR']),
    agent: await person('agent', ['USER']),
    owner: await person('owner', ['CREATOR']),
    staff: await person('staff', ['ADMIN']),
    enrolled: await person('enrolled', ['USER']),
  };
  await addFactor(db, people.enrolled, 'on');
  await addFactor(db, people.both, 'on');
  await addFactor(db, people.CREATOR, 'begun');
  const idle = await addProxy(db, id, `idle.${name}.test`);
  const used = await addProxy(db, id, `used.${name}.test`);
  const reached = await addPolicy(db, id, { name: `Reached of ${name}`, proxyId: used });
  const unreached = await addPolicy(db, id, { name: `Unreached of ${name}`, proxyId: used });
  const address = `reached.${name}.example.ru`;
  const sites = {
    reached: await addSite(db, id, address),
    unreached: await addSite(db, id, `unreached.${name}.example.ru`),
    shared: await addSite(db, id, SHARED_ADDRESS),
  };
  const company_id = id;
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
    proxies: { idle, used },
    policies: { reached, unreached },
    sites,
    address,
  };
}
