import type { CanonicalHost } from '@propusk/access/host';
import { emptyIndex, putCompany, removeCompany } from '@propusk/access/snapshot';
import { company, DIRECT } from '@propusk/test-kit/gateway/world';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { coarseNow } from '../deadline.ts';
import type { ProxyError } from '../proxy-error.ts';
import { type ActiveRequest, type ActiveRequests, createActiveRequests } from './active-requests.ts';
import { nameOf } from './authenticate.ts';
import { createAuthorizer } from './authorize.ts';
import { localLimits } from './concurrency-limits.ts';

/** Admission of new requests, and revocation of active ones. */

const target = { host: 'crm.company.test' as CanonicalHost, port: 443 };
const token = { userId: 1, epoch: 1, expires: Date.now() / 1000 + 60 };
let index: ReturnType<typeof emptyIndex>;
let stale: boolean;
/** The time of the database. */
let moment = Date.now();
let live: ActiveRequests;
/** With the limits of one process, start() returns the request itself, not a promise. */
const enter = (...asked: Parameters<ActiveRequests['start']>) => live.start(...asked) as ActiveRequest;

beforeEach(() => {
  index = emptyIndex();
  stale = false;
  live = createActiveRequests(
    createAuthorizer(
      index,
      () => stale,
      () => moment,
    ),
    localLimits({ perCaller: 2, perCompany: 9, total: 3 }),
  );
  putCompany(index, company(['crm.company.test'], { users: [1, 2] }));
});

test.each<[string, () => unknown, string | null]>([
  ['nothing changed', () => {}, null],
  [
    'another site came',
    () => putCompany(index, company(['crm.company.test', 'b.test'], { version: 2 })),
    null,
  ],
  [
    'the policy lost the user',
    () => putCompany(index, company(['crm.company.test'], { version: 2, users: [2] })),
    'no_policy',
  ],
  [
    'the epoch rose',
    () => putCompany(index, company(['crm.company.test'], { version: 2, epoch: 2 })),
    'expired',
  ],
  ['the company is gone', () => removeCompany(index, 1), 'user_removed'],
  ['the snapshot is stale', () => (stale = true), 'snapshot_stale'],
])('a recheck keeps or ends an active request when %s', (_, change, reason) => {
  const request = enter(token, target);
  change();
  live.recheck();
  expect((request.signal.reason as ProxyError | undefined)?.reason ?? null).toBe(reason);
});

test('access to a host by a policy with allSites ends when another company claims the host', () => {
  const all = company([], { version: 2 });
  for (const policy of all.policies) policy.allSites = true;
  putCompany(index, all);
  const request = enter(token, target);
  live.recheck();
  expect(request.signal.aborted).toBe(false);
  putCompany(index, company(['crm.company.test'], { id: 2 }));
  live.recheck();
  expect(request.signal.reason).toMatchObject({ reason: 'host_taken' });
});

test.each([
  ['host', { host: 'other.test' }, 'no_policy'],
  ['port', { port: 3129 }, 'no_policy'],
  ['password', { password: 'changed' }, null],
])('a recheck ends requests whose proxy gets a new host or port, not password: %s', (_, change, reason) => {
  const proxy = {
    id: 7,
    type: 'users',
    direct: false,
    host: 'up.test',
    port: 3128,
    username: 'u',
    password: 'p',
  } as const;
  putCompany(index, company(['crm.company.test'], { version: 2, proxy }));
  const request = enter(token, target);
  putCompany(index, company(['crm.company.test'], { version: 3, proxy: { ...proxy, ...change } }));
  live.recheck();
  expect((request.signal.reason as ProxyError | undefined)?.reason ?? null).toBe(reason);
});

test('an expired token is refused', () => {
  expect(() => enter({ ...token, expires: Date.now() / 1000 - 1 }, target)).toThrow('expired');
});

test('active requests are limited per user and in total, and a second release() frees no further slot', () => {
  const [first] = [enter(token, target), enter(token, target)];
  expect(() => enter(token, target)).toThrow('too_many');
  const second = { ...token, userId: 2 };
  enter(second, target);
  expect(() => enter(second, target)).toThrow('too_many');
  first?.release();
  first?.release();
  expect(live.size).toBe(2);
  enter(token, target);
  expect(() => enter(token, target)).toThrow('too_many');
});

/** Starts a request whose tunnel last moved a byte the given number of seconds ago. */
function idle(seconds: number, who = token): ActiveRequest {
  const request = enter(who, target);
  request.splice = { moved: coarseNow() - seconds * 1_000 };
  return request;
}

test("at a user's limit, a new request closes this user's longest-idle tunnel, if it has been idle for at least 60 s", () => {
  const other = idle(900, { ...token, userId: 2 });
  const [first, second] = [idle(60), idle(61)];
  const third = enter(token, target);
  expect(second.signal.reason).toMatchObject({ reason: 'too_many' });
  enter(token, target);
  expect(first.signal.reason).toMatchObject({ reason: 'too_many' });
  expect([other, third].map(({ signal }) => signal.aborted)).toEqual([false, false]);
  expect(live.size).toBe(3);
  // At the total limit, a request of a user who is below the limit per user closes no tunnel.
  third.splice = { moved: coarseNow() - 900_000 };
  expect(() => enter({ ...token, userId: 2 }, target)).toThrow('too_many');
  expect([other, third].map(({ signal }) => signal.aborted)).toEqual([false, false]);
});

test("at a user's limit, a new request is refused when no tunnel of this user has been idle for 60 s", () => {
  const [young, dialling] = [idle(59), enter(token, target)];
  idle(900, { ...token, userId: 2 });
  expect(() => enter(token, target)).toThrow('too_many');
  expect([young, dialling].map(({ signal }) => signal.aborted)).toEqual([false, false]);
});

test("a company's active requests are limited over all its users", () => {
  live = createActiveRequests(
    createAuthorizer(
      index,
      () => stale,
      () => moment,
    ),
    localLimits({ perCaller: 2, perCompany: 3, total: 9 }),
  );
  const other = { ...token, userId: 11 };
  putCompany(index, company(['crm.company.test'], { id: 2, proxy: { ...DIRECT, type: 'users' } }));
  const started = [1, 1, 2].map((userId) => enter({ ...token, userId }, target));
  expect(() => enter({ ...token, userId: 2 }, target)).toThrow('too_many');
  // Another company has its own slots.
  enter(other, target);
  started[0]?.release();
  enter({ ...token, userId: 2 }, target);
  expect(() => enter({ ...token, userId: 2 }, target)).toThrow('too_many');
});

describe('a right with times', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    moment = Date.now();
  });
  /** Gives the company a policy that ends. @param ms the time until then */
  const ending = (ms: number, version: number) => {
    const { policies, ...rest } = company(['crm.company.test'], { version });
    const times = { from: null, until: moment + ms, zone: 'UTC', windows: null };
    putCompany(index, {
      ...rest,
      policies: [],
      timed: { policies: policies.map((policy) => ({ ...policy, times })), members: [] },
    });
  };
  /** Lets time pass for timers and for the database's clock. */
  const pass = (ms: number) => {
    moment += ms;
    vi.advanceTimersByTime(ms);
  };

  test('a request ends when its right ends, without any other event', () => {
    ending(20_000, 2);
    const active = enter(token, target);
    pass(19_999);
    expect(active.signal.aborted).toBe(false);
    pass(1);
    expect(active.signal.reason).toMatchObject({ reason: 'right_ended' });
  });

  test('a request continues when another policy of higher precedence opens, with another proxy', () => {
    const { policies, proxies, ...rest } = company(['crm.company.test'], { version: 2, users: [1, 2] });
    const [policy, proxy] = [policies[0], proxies[0]];
    if (policy === undefined || proxy === undefined) throw new Error('no policy');
    const times = { from: moment + 5_000, until: null, zone: 'UTC', windows: null };
    const upstream = { ...proxy, id: 99, direct: false, host: 'proxy.test', type: 'users' as const };
    putCompany(index, {
      ...rest,
      proxies: [proxy, upstream],
      policies: [{ ...policy, id: policy.id + 1 }],
      timed: { policies: [{ ...policy, proxyId: 99, times }], members: [] },
    });
    const active = enter(token, target);
    pass(6_000);
    expect(active.signal.aborted).toBe(false);
    expect(enter({ ...token, userId: 2 }, target).egress).toMatchObject({ proxyId: 99 });
  });

  test('when a change postpones the end of a right before it comes, the request goes on until the new end', () => {
    ending(20_000, 2);
    const active = enter(token, target);
    ending(40_000, 3);
    live.recheck();
    pass(20_000);
    expect(active.signal.aborted).toBe(false);
    pass(20_000);
    expect(active.signal.reason).toMatchObject({ reason: 'right_ended' });
  });
});

test('probes do not take slots of users', () => {
  const probe = { host: target.host, port: target.port, expires: token.expires };
  enter(probe, target);
  enter(probe, target);
  expect(() => enter(probe, target)).toThrow('too_many');
  enter(token, target);
  live.recheck();
  expect(live.size).toBe(3);
});

test('a change authorizes again only the requests of its company, and all requests when a host is newly claimed', () => {
  putCompany(index, company(['b.test'], { id: 2, users: [11] }));
  const authorizer = createAuthorizer(
    index,
    () => stale,
    () => moment,
  );
  const asked: string[] = [];
  const counted = {
    ...authorizer,
    authorize(...[caller, host]: Parameters<typeof authorizer.authorize>) {
      asked.push(nameOf(caller));
      return authorizer.authorize(caller, host);
    },
  };
  live = createActiveRequests(counted, localLimits({ perCaller: 2, perCompany: 9, total: 9 }));
  enter(token, target);
  enter({ ...token, userId: 11 }, { ...target, host: 'b.test' as CanonicalHost });
  const recheck = () => {
    asked.length = 0;
    live.recheck();
    return asked;
  };
  expect(recheck()).toEqual([]);
  putCompany(index, company(['b.test'], { id: 2, users: [11], version: 2 }));
  expect(recheck()).toEqual(['u11']);
  expect(recheck()).toEqual([]);
  putCompany(index, company(['b.test', 'c.test'], { id: 2, users: [11], version: 3 }));
  expect(recheck()).toEqual(['u1', 'u11']);
});
