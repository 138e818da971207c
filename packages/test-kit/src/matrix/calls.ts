import { randomUUID } from 'node:crypto';
import { sign } from '@propusk/api/vantage/signature';
import type { Endpoint } from '@propusk/contract/endpoint';
import { endpoints } from '@propusk/contract/endpoints';
import { PASSWORD } from '../api/api.ts';
import { appCode } from '../api/app-code.ts';
import { FACTOR_SECRET, RECOVERY_CODE, VANTAGE_KEY } from './inserts.ts';
import type { Target } from './rows.ts';
import { SHARED_ADDRESS, type Standing, type World } from './world.ts';

/** The variable parts of a request. */
export interface Parts {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

const ABSENT = 999_999;

/** The name of a call in the table and in tests. */
export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** The calls of the contract, by name. */
export const byName: ReadonlyMap<string, Endpoint> = new Map(
  endpoints.map((endpoint) => [nameOf(endpoint), endpoint]),
);

/** Builds the request of a caller to a call, for a target of the table. */
export function partsOf(
  name: string,
  target: Target,
  { world, caller }: { world: World; caller: Standing },
): Parts {
  const ids = idsOf(world, caller);
  const pick = (kind: Kind, word: string) => {
    const found = ids[kind][word];
    if (found === undefined) throw new Error(`${name}: no ${kind} are ${word}`);
    return found;
  };
  const kind = kinds.find(([prefix]) => name.includes(` ${prefix}`))?.[1];
  const aim: Aim = {
    target,
    caller,
    one: (of) => pick(of, target.which ?? ''),
    some: (of) => {
      const home = target.path.startsWith('other') ? 'other' : 'own';
      return [...new Set([pick(of, home), pick(of, target.which ?? '')])];
    },
    company: pick('companies', target.path === 'absent' ? 'absent' : 'own'),
    plan: world.plan,
    invitation: world.invitation.token,
  };
  const body = bodies[name]?.(aim);
  const query = queries[name]?.(aim);
  if (byName.get(name)?.body !== undefined && body === undefined) throw new Error(`${name}: no body`);
  return {
    ...(/\/:id(\/|$)/.test(name) && kind !== undefined && { params: { id: pick(kind, target.path) } }),
    ...(name.endsWith('/:address') && { params: { address: addressOf(target.path, caller) } }),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
  };
}

/** The company whose rows a call at the target may change: 0 for the platform. */
export function companyOf(target: Target, world: World, caller: Standing): number {
  if (target.path === 'unstaffed') return world.unstaffed;
  if (['platform', 'direct', 'admin'].includes(target.path)) return 0;
  if (target.path.startsWith('other')) return caller.other.id;
  // A call with a mailed token belongs to the agent's company.
  if (['known', 'live'].includes(target.which ?? '')) return caller.own.id;
  // The call changes the caller's own account, or creates an object in the caller's company.
  if (['-', 'self', 'asking'].includes(target.path) && caller.userId !== 0) return caller.companyId ?? 0;
  return caller.own.id;
}

type Kind =
  | 'vantages'
  | 'sessions'
  | 'people'
  | 'companies'
  | 'proxies'
  | 'sites'
  | 'policies'
  | 'plans'
  | 'invitations'
  | 'requests';

const kinds: [string, Kind][] = [
  ['/me/sessions/', 'sessions'],
  ['/users/', 'people'],
  ['/company/invitations/', 'invitations'],
  ['/company/', 'companies'],
  ['/proxy/', 'proxies'],
  ['/domain-allowed/', 'sites'],
  ['/politics/', 'policies'],
  ['/vantages/', 'vantages'],
  ['/plans/', 'plans'],
  ['/tariff/requests/', 'requests'],
];

function idsOf(
  world: World,
  { own, other, userId, sessions }: Standing,
): Record<Kind, Record<string, number>> {
  const absent = ABSENT;
  return {
    vantages: {
      own: own.vantages.paired,
      other: other.vantages.paired,
      platform: world.platformVantage,
      absent,
    },
    sessions: {
      self: sessions?.another ?? own.agentSession,
      asking: sessions?.asking ?? own.agentSession,
      own: own.agentSession,
      other: other.agentSession,
      admin: world.secondAdminSession,
      absent,
    },
    people: {
      own: own.people.agent,
      other: other.people.agent,
      self: userId === 0 ? own.people.USER : userId,
      owner: own.people.owner,
      'other owner': other.people.owner,
      staff: own.people.staff,
      enrolled: own.people.enrolled,
      'other enrolled': other.people.enrolled,
      invited: own.people.invited,
      'other invited': other.people.invited,
      admin: world.secondAdmin,
      absent,
    },
    companies: { own: own.id, other: other.id, unstaffed: world.unstaffed, absent },
    proxies: {
      own: own.proxies.idle,
      used: own.proxies.used,
      paid: own.proxies.paid,
      other: other.proxies.idle,
      platform: world.platformProxy,
      direct: world.directProxy,
      absent,
    },
    sites: { own: own.sites.reached, unreached: own.sites.unreached, other: other.sites.reached, absent },
    policies: {
      own: own.policies.reached,
      unreached: own.policies.unreached,
      other: other.policies.reached,
      absent,
    },
    plans: { platform: world.plan, absent },
    invitations: { platform: world.invitation.id, absent },
    requests: { own: own.request, other: other.request, absent },
  };
}

function addressOf(path: string, { own, other }: Standing): string {
  const addresses: Record<string, string> = {
    own: own.address,
    other: other.address,
    shared: SHARED_ADDRESS,
    absent: 'absent.example.ru',
  };
  return addresses[path] ?? '';
}

interface Aim {
  readonly target: Target;
  readonly caller: Standing;
  readonly company: number;
  readonly plan: number;
  /** The token of the ADMIN's invitation. */
  readonly invitation: string;
  /** Returns the id that the target puts into the body. */
  one(kind: Kind): number;
  /** Returns a list of that id and an allowed one: the api must refuse a list with one wrong id. */
  some(kind: Kind): number[];
}

/** The queries of calls that need one. */
const queries: Record<string, (aim: Aim) => Readonly<Record<string, string | number>>> = {
  'GET /audit': ({ target: { which } }) => ({ ...(which !== undefined && { of: which }) }),
  'GET /statistics': () => ({
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
    step: 'hour',
  }),
  'GET /me/why': () => ({ host: 'crm.example.ru', port: 443 }),
  'GET /domain-allowed/:id/why': ({ target, caller, one }) => {
    const home = target.path.startsWith('other') ? caller.other : caller.own;
    return { user: target.field === 'user' ? one('people') : home.people.agent };
  },
};

const politics = ({ target, some }: Aim) =>
  target.field === 'politics' ? { politics: some('policies') } : {};
const proxy = { host: 'new.proxy.test', port: '3128', username: 'login', password: 'upstream secret' };
const plan = { name: 'Business', people: 40, paidProxies: true, allSites: false, offered: true, trial: true };
const required = ({ target: { field } }: Aim) => (field === undefined ? {} : { [field]: true });
const company = { companyName: 'Новое имя', companySite: 'new.test' };

const proof = () => ({ currentPassword: PASSWORD, code: appCode(FACTOR_SECRET) });

function signed(
  call: 'work' | 'report',
  { which }: Target,
  vantage: number,
  rest: { task: string; group: number; results: string } | null = null,
) {
  const values = rest === null ? [] : [rest.task, rest.group, rest.results];
  const signature = which === 'live' ? sign(VANTAGE_KEY, [call, vantage, 1, ...values]) : '0'.repeat(64);
  return { vantage, count: 1, signature, ...rest };
}

let invitations = 0;

/** The body of a bulk call and of its preview. */
const bulk = (path: string, body: (aim: Aim) => unknown) => ({
  [`POST ${path}`]: body,
  [`POST ${path}/preview`]: body,
});

/** The body of every call that has one. Only the ids of the target may be invalid. */
const bodies: Record<string, (aim: Aim) => unknown> = {
  'POST /auth/login': ({ caller }) => ({ email: caller.own.agentEmail, password: PASSWORD }),
  'POST /auth/registration': () => ({
    ...company,
    name: 'Новое имя',
    email: 'new@new.test',
    password: PASSWORD,
  }),
  'POST /auth/register': ({ target: { field, which }, caller: { own } }) => {
    const email = field === 'email' && which === 'known' ? own.agentEmail : 'new@new.test';
    if (field === 'email') return { email };
    if (field === 'change') return { email, change: true, currentPassword: PASSWORD };
    const live = field === 'password' ? own.links.password : own.links.email;
    const token = which === 'live' ? live : 'A'.repeat(live.length);
    return field === 'password' ? { token, password: 'another horse' } : { token };
  },
  'POST /auth/link': ({ target, caller }) => ({
    token: target.which === 'live' ? caller.own.links.password : 'A'.repeat(43),
  }),
  'POST /auth/invitation': ({ target, invitation }) => ({
    token: target.which === 'live' ? invitation : 'A'.repeat(43),
  }),
  'POST /auth/pair': ({ target, caller }) => ({
    code: target.which === 'live' ? caller.own.links.pairing : 'A'.repeat(43),
  }),
  'POST /vantages': () => ({ name: 'Home' }),
  'POST /vantage/pair': ({ target, caller }) => ({
    code: target.which === 'live' ? caller.own.vantages.code : 'A'.repeat(43),
  }),
  'POST /vantage/work': ({ target, caller }) => signed('work', target, caller.own.vantages.paired),
  'POST /vantage/report': ({ target, caller }) =>
    signed('report', target, caller.own.vantages.paired, {
      task: caller.own.vantages.task,
      group: 0,
      results: '',
    }),
  'POST /lock': ({ target, caller }) => ({
    token: target.which === 'live' ? caller.own.links.lock : 'A'.repeat(43),
  }),
  'PUT /me/password': () => ({ currentPassword: PASSWORD, password: 'another horse' }),
  'POST /me/second-factor': () => ({ currentPassword: PASSWORD }),
  'POST /me/second-factor/confirm': () => ({ code: appCode(FACTOR_SECRET) }),
  'POST /me/second-factor/recovery': () => ({ currentPassword: PASSWORD, code: RECOVERY_CODE }),
  'POST /me/second-factor/off': () => ({ currentPassword: PASSWORD, code: appCode(FACTOR_SECRET) }),
  'POST /users/user-inner': (aim) => ({ email: 'new@new.test', password: PASSWORD, ...politics(aim) }),
  // A mailbox gets only a few invitations an hour.
  'POST /users/invitations': (aim) => ({ emails: [`new${invitations++}@new.test`], ...politics(aim) }),
  'POST /users/import': imported,
  'POST /users/import/preview': imported,
  'PUT /users/:id': (aim) => {
    const { field } = aim.target;
    if (field === 'email') return { email: 'new@new.test', ...proof() };
    if (field === 'password') return { password: 'another horse', ...proof() };
    return { name: 'Новое имя', ...politics(aim) };
  },
  'PUT /users/:id/role': ({ target }) => ({ role: target.which, ...proof() }),
  'PUT /users/:id/suspension': ({ target }) => ({
    suspended: true,
    ...(target.path.includes('owner') && proof()),
  }),
  'POST /users/admin': () => ({ email: 'new@new.test', name: 'Новое имя', ...proof() }),
  'POST /users/:id/admin/off': proof,
  'POST /company': () => company,
  'POST /company/invitation': () => ({ email: 'new@new.test', ...proof() }),
  'POST /company/:id/owner': () => ({ email: 'new@new.test', name: 'Новое имя', ...proof() }),
  'POST /users/:id/second-factor/off': proof,
  'PUT /company/me-company': (aim) => ({ ...company, ...required(aim) }),
  'PUT /company/records': () => ({
    addresses: 'network',
    retentionDays: 7,
    keepNames: false,
    timeZone: 'Asia/Tokyo',
    ...proof(),
  }),
  'DELETE /company/:id': proof,
  'PUT /company/:id': (aim) => ({ ...company, ...required(aim) }),
  'POST /proxy': () => proxy,
  'PUT /proxy/:id': () => proxy,
  'PUT /proxy/admin/:id': ({ target }) =>
    target.field === 'settings' ? { settings: { allSites: true } } : proxy,
  'POST /proxy/admin': (aim) => ({ ...proxy, companyId: aim.company }),
  'POST /plans': () => plan,
  'PUT /plans/:id': () => plan,
  'POST /plans/:id/companies': () => plan,
  'PUT /company/:id/tariff': (aim) => ({ planId: aim.plan, planEndsAt: '2099-01-01T00:00:00.000Z' }),
  'PUT /tariff/phone': () => ({ phone: '+79161234567' }),
  'PUT /contact': () => ({ name: 'Manager', phone: '+79161234567', email: 'a@b.test', telegram: 'manager' }),
  'POST /tariff/requests': () => ({ kind: 'trial', text: 'Please' }),
  'PUT /tariff/requests/:id': (aim) => ({ state: 'answered', planId: aim.plan, reply: 'Yes' }),
  'POST /feed/records': () => ({ gateway: randomUUID(), run: randomUUID(), number: 1, records: [] }),
  'PUT /visits/support': () => ({ allowed: true }),
  'POST /visits/end': ({ one }) => ({ user: one('people') }),
  'POST /domain-allowed': (aim) => ({ address: 'new.example.ru', ...politics(aim) }),
  'POST /domain-allowed/many': sites,
  'POST /domain-allowed/many/preview': sites,
  'PUT /domain-allowed/:id': (aim) => ({ address: 'new.example.ru', ...politics(aim) }),
  'PUT /domain-allowed/:id/paths': () => ({ startPaths: ['/base/'], openPaths: ['/favicon.ico'] }),
  'POST /users/invitations/again': ({ caller, one }) => ({
    ids: [...new Set([caller.own.people.invited, one('people')])],
  }),
  'POST /users/extension/remind': ({ one }) => ({ ids: [one('people')] }),
  ...bulk('/users/delete', ({ some }) => ({ ids: some('people') })),
  ...bulk('/domain-allowed/delete', ({ some }) => ({ ids: some('sites') })),
  'POST /domain-allowed/probe': ({ some }) => ({ ids: some('sites') }),
  ...bulk('/politics/delete', ({ some }) => ({ ids: some('policies') })),
  ...bulk('/politics/:id/members', ({ target, some }) => ({
    [target.field ?? '']: some(target.field?.endsWith('Users') ? 'people' : 'sites'),
  })),
  'POST /politics': (aim) => ({ name: 'Новая политика', proxyId: 1, ...policyLinks(aim) }),
  'PUT /politics/:id': (aim) => ({ name: 'Новая политика', ...policyLinks(aim) }),
};

function imported(aim: Aim): object {
  return { people: [{ email: `new${invitations++}@new.test`, name: 'Анна', ...politics(aim) }] };
}

function sites(aim: Aim): object[] {
  return [{ address: 'first.example.ru' }, { address: 'new.example.ru', ...politics(aim) }];
}

function policyLinks({ target, one, some }: Aim): object {
  if (target.field === 'proxyId') return { proxyId: one('proxies') };
  if (target.field === 'users') return { users: some('people') };
  return {};
}
