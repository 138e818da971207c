import type { CompanySnapshot } from '@propusk/contract/feed';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, patternsCovering, reachable, siteCovering } from './decide.ts';
import { type CanonicalHost, canonicalHost } from './host.ts';
import { emptyIndex, putCompany, removeCompany } from './snapshot.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');

const host = (name: string): CanonicalHost => canonicalHost(name) ?? expect.fail(`${name} is no host`);

const gatewayItself = { id: 1, type: 'default', direct: true, host: '127.0.0.1', port: 3128 } as const;
const own = { id: 7, type: 'users', direct: false, host: 'proxy.test', port: 8888 } as const;
const proxies = [gatewayItself, own].map((proxy) => ({ ...proxy, username: 'login', password: 'secret' }));

/** A company with the users 10·id and 10·id+1. Only the first user is in the policies. */
function company(
  id: number,
  sites: Record<number, string>,
  policies: { proxy: number; sites: number[]; allSites?: boolean; ended?: boolean }[],
  version = 1,
): CompanySnapshot {
  return {
    companyId: id,
    version,
    users: [
      { id: id * 10, epoch: 1 },
      { id: id * 10 + 1, epoch: 1 },
    ],
    // As in the database, a site in a policy on shared egress has a claim to its host. The claim's rank is the site's id.
    sites: Object.entries(sites).map(([siteId, address]) => {
      const shared = policies.some((policy) => policy.proxy === 1 && policy.sites.includes(Number(siteId)));
      return { id: Number(siteId), address, claim: shared ? Number(siteId) : null };
    }),
    proxies,
    policies: policies.map((policy, at) => ({
      id: id * 100 + at,
      proxyId: policy.proxy,
      allSites: policy.allSites ?? false,
      ended: policy.ended,
      users: [id * 10],
      sites: policy.sites,
    })),
  };
}

function indexOf(...snapshots: CompanySnapshot[]) {
  const index = emptyIndex();
  for (const snapshot of snapshots) putCompany(index, snapshot);
  return index;
}

const index = indexOf(
  company(
    1,
    {
      1: 'crm.romashka.test',
      2: 'romashka.test',
      3: '*.wiki.romashka.test',
      4: 'erp.romashka.test:8443',
      5: 'lone.romashka.test',
      6: 'xn--80aa3agjl3d.xn--p1ai',
      8: 'shared.test',
    },
    [
      { proxy: 1, sites: [1, 2, 3, 4, 6] },
      { proxy: 7, sites: [8] },
    ],
  ),
  // The second company holds shared.test and *.held.test on shared egress. Its only policy uses shared egress and has allSites.
  company(2, { 20: 'shared.test', 21: '*.held.test', 22: 'crm.romashka.test' }, [
    { proxy: 1, sites: [20, 21, 22], allSites: true },
  ]),
  // The third company has a policy with allSites on its own proxy, and a site below the second company's wildcard.
  company(3, { 30: 'deep.held.test' }, [{ proxy: 7, sites: [], allSites: true }]),
  company(4, { 40: 'deep.held.test' }, [{ proxy: 1, sites: [40] }]),
);

const cases: [name: string, user: number, host: string, port: number, expected: string][] = [
  ['a site of a policy', 10, 'crm.romashka.test', 443, 'direct by 100'],
  ['plain http', 10, 'crm.romashka.test', 80, 'direct by 100'],
  ['a port that no site names', 10, 'crm.romashka.test', 22, 'port_refused'],
  ['the named port', 10, 'erp.romashka.test', 8443, 'direct by 100'],
  ['a named port excludes 443', 10, 'erp.romashka.test', 443, 'port_refused'],
  ['www of a site', 10, 'www.romashka.test', 443, 'direct by 100'],
  ['www is not a wildcard', 10, 'mail.romashka.test', 443, 'site_unknown'],
  ['www of www', 10, 'www.www.romashka.test', 443, 'site_unknown'],
  ['a wildcard: the name itself', 10, 'wiki.romashka.test', 443, 'direct by 100'],
  ['a wildcard: two names below', 10, 'a.b.wiki.romashka.test', 443, 'direct by 100'],
  ['a wildcard ends at a dot', 10, 'notwiki.romashka.test', 443, 'site_unknown'],
  ['a Cyrillic name', 10, 'РОМАШКА.рф', 443, 'direct by 100'],
  ['a site in no policy', 10, 'lone.romashka.test', 443, 'no_policy'],
  ['a user of the company in no policy', 11, 'crm.romashka.test', 443, 'no_policy'],
  ['a site of another company', 40, 'crm.romashka.test', 443, 'site_unknown'],
  ['an unknown site', 10, 'example.org', 443, 'site_unknown'],
  ['an unknown user', 999, 'crm.romashka.test', 443, 'user_removed'],
  ["the company's own proxy is not shared egress", 10, 'shared.test', 443, 'upstream 7 by 101'],
  ['the holder of a shared host', 20, 'shared.test', 443, 'direct by 200'],
  ['the older claim wins', 20, 'crm.romashka.test', 443, 'host_taken'],
  ['all sites: any public host', 20, 'example.org', 443, 'direct by 200'],
  ['all sites: only web ports', 20, 'example.org', 25, 'site_unknown'],
  ['all sites: not a host that another company holds', 20, 'www.romashka.test', 443, 'host_taken'],
  [
    "all sites through the company's own proxy: also such a host",
    30,
    'www.romashka.test',
    443,
    'upstream 7 by 300',
  ],
  ['a host below another company’s wildcard', 40, 'deep.held.test', 443, 'host_taken'],
];

describe('decide() is correct for hand-written companies', () => {
  test.each(cases)('%s', (_name, user, name, port, expected) => {
    const decision = decide(index, user, host(name), port, NOW);
    const egress = decision.allow && decision.egress;
    const way = egress && (egress.kind === 'direct' ? 'direct' : `upstream ${egress.proxyId}`);
    expect(decision.allow ? `${way} by ${decision.policyId}` : decision.reason).toBe(expected);
  });

  test('an empty index denies every user', () => {
    expect(decide(emptyIndex(), 10, host('crm.romashka.test'), 443, NOW)).toEqual({
      allow: false,
      reason: 'user_removed',
      until: Number.POSITIVE_INFINITY,
    });
  });

  test('a policy whose proxy is missing from the snapshot allows nothing', () => {
    const broken = { ...company(1, { 1: 'crm.romashka.test' }, [{ proxy: 1, sites: [1] }]), proxies: [] };
    expect(decide(indexOf(broken), 10, host('crm.romashka.test'), 443, NOW)).toMatchObject({
      reason: 'no_policy',
    });
  });
});

describe('rights with times', () => {
  const DAY = 86_400_000;
  const MOSCOW = 'Europe/Moscow';
  const always = { from: null, until: null, zone: MOSCOW, windows: null };
  /** Monday to Friday from 9 to 18. `NOW` is Monday, 12:00 in Moscow. */
  const workdays = [0, 1, 2, 3, 4].map((day): [number, number] => [day * 1_440 + 540, day * 1_440 + 1_080]);
  const base = company(1, { 1: 'a.test', 2: 'b.test' }, [
    { proxy: 1, sites: [1] },
    { proxy: 7, sites: [1, 2] },
  ]);
  const [first, second] = base.policies as [(typeof base.policies)[number], (typeof base.policies)[number]];
  type Timed = NonNullable<CompanySnapshot['timed']>;
  const told = (change: Partial<CompanySnapshot>, name: string, now = NOW, user = 10) => {
    const decision = decide(indexOf({ ...base, ...change }), user, host(name), 443, now);
    const until = Number.isFinite(decision.until) ? (decision.until - NOW) / DAY : 'never';
    return [decision.allow ? decision.policyId : decision.reason, until];
  };
  const timed = (
    times: Partial<Timed['policies'][number]['times']>,
    policy = first,
  ): Partial<CompanySnapshot> => ({
    policies: base.policies.filter((each) => each !== policy),
    timed: { policies: [{ ...policy, times: { ...always, ...times } }], members: [] },
  });

  test.each<[string, Partial<CompanySnapshot>, string, unknown[]]>([
    ['without times', {}, 'a.test', [100, 'never']],
    ['that end later', timed({ until: NOW + DAY }), 'a.test', [100, 1]],
    ['that have ended, beside another policy', timed({ until: NOW }), 'a.test', [101, 'never']],
    ['that begin later, beside another policy', timed({ from: NOW + DAY }), 'a.test', [101, 1]],
    ['that begin later', timed({ from: NOW + DAY }, second), 'b.test', ['not_yet', 1]],
    ['that have ended', timed({ until: NOW - 1 }, second), 'b.test', ['right_ended', 'never']],
    ['in their hours', timed({ windows: workdays }), 'a.test', [100, 0.25]],
    ['outside their hours', timed({ windows: [[0, 60]] }, second), 'b.test', ['outside_hours', 6.5]],
    [
      'of an unknown zone',
      timed({ zone: 'Mars/Base', windows: workdays }, second),
      'b.test',
      ['outside_hours', 'never'],
    ],
  ])('a policy with times %s', (_, change, name, expected) => {
    expect(told(change, name)).toEqual(expected);
  });

  test('a membership that ends denies from its end on, and one without an end prevails', () => {
    const members = [{ policyId: 101, userId: 11, until: NOW + DAY }];
    const change = { timed: { policies: [], members } };
    expect(told(change, 'b.test', NOW, 11)).toEqual([101, 1]);
    expect(told(change, 'b.test', NOW + DAY, 11)).toEqual(['right_ended', 'never']);
    expect(told(change, 'b.test', NOW, 10)).toEqual([101, 'never']);
    const both = { timed: { policies: [], members: [{ policyId: 101, userId: 10, until: NOW }] } };
    expect(told(both, 'b.test')).toEqual([101, 'never']);
  });

  test('the end of a membership and the times of its policy both count', () => {
    const change = timed({ windows: workdays }, second);
    const members = [{ policyId: 101, userId: 11, until: NOW + DAY / 8 }];
    const both = { ...change, timed: { policies: change.timed?.policies ?? [], members } };
    expect(told(both, 'b.test', NOW, 11)).toEqual([101, 0.125]);
    expect(told(both, 'b.test', NOW - DAY / 4, 11)).toEqual(['outside_hours', -0.125]);
  });

  test('while the current time is unknown, only rights without time limits are allowed', () => {
    expect(told(timed({ until: NOW + DAY }), 'a.test', Number.NaN)).toEqual([101, 'never']);
    expect(told(timed({ until: NOW + DAY }, second), 'b.test', Number.NaN)[0]).toBe('clock_unknown');
    const members = [{ policyId: 101, userId: 11, until: NOW + DAY }];
    expect(told({ timed: { policies: [], members } }, 'b.test', Number.NaN, 11)[0]).toBe('clock_unknown');
  });

  test('a suspended user is denied and reaches nothing', () => {
    const change = { users: base.users.slice(1), suspended: [10] };
    expect(told(change, 'a.test')).toEqual(['suspended', 'never']);
    expect(reachable(indexOf({ ...base, ...change }), 10, NOW)).toBeNull();
  });

  test('reachable() also lists the sites of rights that are closed at the moment, and says when they open', () => {
    const told = reachable(indexOf({ ...base, ...timed({ until: NOW - DAY }, second) }), 10, NOW);
    expect(told?.sites).toEqual(['a.test', 'b.test']);
    const timesAfter = (times: Parameters<typeof timed>[0]) =>
      reachable(indexOf({ ...base, ...timed(times, second) }), 10, NOW)?.times;
    const site = 'b.test';
    expect(timesAfter({ from: NOW + DAY })).toEqual([{ site, open: false, until: NOW + DAY }]);
    expect(timesAfter({ until: NOW - DAY })).toEqual([
      { site, open: false, until: Number.POSITIVE_INFINITY },
    ]);
    expect(timesAfter({ until: NOW + DAY })).toEqual([{ site, open: true, until: NOW + DAY }]);
    // Times in which the site never closes.
    expect(timesAfter({ windows: [[0, 10_080]] })).toEqual([]);
  });
});

describe('the index', () => {
  const v = (version: number, sites: number[]) =>
    company(1, { 1: 'a.romashka.test', 2: 'b.romashka.test' }, [{ proxy: 1, sites }], version);
  const allowed = (i: ReturnType<typeof emptyIndex>, name: string) =>
    decide(i, 10, host(name), 443, NOW).allow;

  test('the index replaces a company by a newer version and ignores older and equal versions', () => {
    const i = indexOf(v(2, [1]));
    expect(putCompany(i, v(1, [2]))).toBe(false);
    expect(putCompany(i, v(2, [2]))).toBe(false);
    expect([allowed(i, 'a.romashka.test'), allowed(i, 'b.romashka.test')]).toEqual([true, false]);
    expect(putCompany(i, v(3, [2]))).toBe(true);
    expect([allowed(i, 'a.romashka.test'), allowed(i, 'b.romashka.test')]).toEqual([false, true]);
  });

  test('a policy on a proxy that the plan no longer includes allows nothing', () => {
    const sites = { 1: 'a.romashka.test', 2: 'b.romashka.test' };
    const paid = { proxy: 7, sites: [1, 2], allSites: true };
    const other = { proxy: 1, sites: [2] };
    const reasons = (ended: boolean) => {
      const i = indexOf(company(1, sites, [{ ...paid, ended }, other]));
      return ['a.romashka.test', 'b.romashka.test', 'example.org'].map((name) => {
        const decision = decide(i, 10, host(name), 443, NOW);
        return decision.allow ? decision.policyId : decision.reason;
      });
    };
    expect(reasons(false)).toEqual([100, 100, 100]);
    expect(reasons(true)).toEqual(['plan_ended', 101, 'plan_ended']);
  });

  test('removing a company from the index removes its users and its claims', () => {
    const i = indexOf(v(1, [1]), company(2, { 20: 'a.romashka.test' }, [{ proxy: 1, sites: [20] }]));
    expect(decide(i, 20, host('a.romashka.test'), 443, NOW)).toMatchObject({ reason: 'host_taken' });
    removeCompany(i, 1);
    expect(decide(i, 10, host('a.romashka.test'), 443, NOW)).toMatchObject({ reason: 'user_removed' });
    expect(decide(i, 20, host('a.romashka.test'), 443, NOW).allow).toBe(true);
  });

  test('a host that a company gives up goes to the company with the next oldest claim', () => {
    const claiming = (id: number) => company(id, { [id]: 'a.romashka.test' }, [{ proxy: 1, sites: [id] }]);
    const i = indexOf(...[1, 3, 2].map(claiming));
    removeCompany(i, 1);
    expect(decide(i, 20, host('a.romashka.test'), 443, NOW).allow).toBe(true);
    expect(decide(i, 30, host('a.romashka.test'), 443, NOW)).toMatchObject({ reason: 'host_taken' });
  });

  test('the company with the earliest claim holds a host, even if another company has an older site', () => {
    const late = company(2, { 0: 'a.romashka.test' }, [{ proxy: 1, sites: [0] }]);
    const i = indexOf(v(1, [1]), { ...late, sites: late.sites.map((site) => ({ ...site, claim: 77 })) });
    expect(decide(i, 20, host('a.romashka.test'), 443, NOW)).toMatchObject({ reason: 'host_taken' });
    expect(decide(i, 10, host('a.romashka.test'), 443, NOW).allow).toBe(true);
  });

  test('with anyVersion, the index accepts a company snapshot of a lower version', () => {
    const i = indexOf(v(2, [1]));
    expect(putCompany(i, v(1, [2]), true)).toBe(true);
    expect([allowed(i, 'a.romashka.test'), allowed(i, 'b.romashka.test')]).toEqual([false, true]);
  });

  test('a company loses its claim to a host when its last policy on shared egress drops the site', () => {
    const i = indexOf(v(1, [1]), company(2, { 20: 'a.romashka.test' }, [{ proxy: 1, sites: [20] }]));
    putCompany(i, v(2, [2]));
    expect(decide(i, 20, host('a.romashka.test'), 443, NOW).allow).toBe(true);
  });
});

test('reachable() lists exactly the sites that decide() allows', () => {
  expect(reachable(index, 10, NOW)).toEqual({
    allSites: false,
    times: [],
    sites: [
      '*.wiki.romashka.test',
      'crm.romashka.test',
      'erp.romashka.test:8443',
      'romashka.test',
      'shared.test',
      'xn--80aa3agjl3d.xn--p1ai',
    ],
  });
  expect(reachable(index, 11, NOW)).toEqual({ allSites: false, sites: [], times: [] });
  expect(reachable(index, 30, NOW)?.allSites).toBe(true);
  expect(reachable(index, 999, NOW)).toBeNull();
});

describe('decide() is correct for randomly generated companies', () => {
  const web = ['a.test', 'b.a.test', '*.a.test', 'www.a.test', 'c.test', '*.c.test'];
  const names = [...web, 'a.test:8443', 'd.c.test:8443'];
  const edges = [-2, -1, 0, 1, 2].map((hours) => NOW + hours * 3_600_000);
  const edge = fc.constantFrom(...edges);
  /** Distributes policies over the lists of a snapshot: those with times, and memberships that end, are in `timed`. */
  const rightsOf = (
    policies: (CompanySnapshot['policies'][number] & {
      times: { from: number | null; until: number | null } | null;
      ends: [number, number][];
    })[],
  ): Pick<CompanySnapshot, 'policies' | 'timed'> => {
    const plain = ({ id, proxyId, allSites, users, sites }: CompanySnapshot['policies'][number]) => ({
      ...{ id, proxyId, allSites, users, sites },
    });
    return {
      policies: policies.filter(({ times }) => times === null).map(plain),
      timed: {
        policies: policies.flatMap(({ times, ...policy }) =>
          times === null ? [] : [{ ...plain(policy), times: { ...times, zone: 'UTC', windows: null } }],
        ),
        members: policies.flatMap(({ id: policyId, ends }) =>
          [...new Map(ends)].map(([userId, until]) => ({ policyId, userId, until })),
        ),
      },
    };
  };
  const snapshot = (id: number) =>
    fc
      .record({
        sites: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 5 }),
        // Generates claims independently of policies, because a restarted gateway may have claims without policies.
        claims: fc.tuple(...[0, 1, 2, 3, 4].map(() => fc.option(fc.nat(9)))),
        policies: fc.array(
          fc.record({
            proxyId: fc.constantFrom(1, 7),
            allSites: fc.boolean(),
            // The ids come in any order, and one of them is of a user who is not in the snapshot.
            users: fc.shuffledSubarray([id * 10, id * 10 + 1, id * 10 + 5]),
            sites: fc.shuffledSubarray([0, 1, 2, 3, 4]),
            times: fc.option(fc.record({ from: fc.option(edge), until: fc.option(edge) })),
            ends: fc.array(fc.tuple(fc.constantFrom(id * 10, id * 10 + 1), edge), { maxLength: 2 }),
          }),
          { maxLength: 4 },
        ),
      })
      .map(({ sites, claims, policies }): CompanySnapshot => {
        const rows = sites.map((address, at) => {
          const since = claims[at] ?? null;
          return { id: id * 100 + at, address, claim: since === null ? null : since * 10 + id };
        });
        return {
          companyId: id,
          version: 1,
          users: [10 * id + 1, 10 * id].map((user) => ({ id: user, epoch: 1 })),
          sites: rows.toReversed(),
          proxies,
          ...rightsOf(
            policies.map((policy, at) => ({
              ...policy,
              id: id * 100 + at,
              sites: policy.sites.flatMap((site) => rows[site]?.id ?? []),
            })),
          ),
        };
      });
  const hosts = ['a.test', 'b.a.test', 'x.b.a.test', 'www.a.test', 'c.test', 'd.c.test', 'www.d.c.test'].map(
    host,
  );
  const ports = [80, 443, 8443, 22];

  // A second, slow implementation of the rule: it checks every policy and every site.
  const covers = (address: string, name: string, port: number) => {
    const [pattern = '', named] = address.split(':');
    const bare = pattern.replace('*.', '');
    const wild = pattern.startsWith('*.') && (name === bare || name.endsWith(`.${bare}`));
    const portFits = named === undefined ? port === 80 || port === 443 : port === Number(named);
    return portFits && (wild || name === pattern || name === `www.${pattern}`);
  };
  const shared = (one: CompanySnapshot, proxyId: number) =>
    one.proxies.find(({ id }) => id === proxyId)?.type === 'default';
  const holder = (all: CompanySnapshot[], name: string) => {
    const claims = all.flatMap((one) =>
      one.sites
        .filter(({ address }) => [80, 443, 8443].some((port) => covers(address, name, port)))
        .flatMap(({ claim }) => (claim === null ? [] : { claim, company: one.companyId })),
    );
    return claims.toSorted((a, b) => a.claim - b.claim)[0]?.company;
  };
  const granting = (
    all: CompanySnapshot[],
    one: CompanySnapshot,
    user: number,
    name: string,
    port: number,
    now: number,
  ) => {
    const held = holder(all, name);
    const { timed = { policies: [], members: [] } } = one;
    const isMember = (policy: CompanySnapshot['policies'][number]) =>
      policy.users.includes(user) ||
      timed.members.some((each) => each.policyId === policy.id && each.userId === user && now < each.until);
    const inTime = timed.policies.filter(
      ({ times: { from, until } }) => (from === null || now >= from) && (until === null || now < until),
    );
    return [...one.policies, ...inTime]
      .filter(
        (policy) =>
          isMember(policy) &&
          (!shared(one, policy.proxyId) || held === undefined || held === one.companyId) &&
          ((policy.allSites && (port === 80 || port === 443)) ||
            one.sites.some(({ id, address }) => policy.sites.includes(id) && covers(address, name, port))),
      )
      .map(({ id }) => id);
  };
  const questions = [10, 11, 20, 21, 30, 31].flatMap((user) =>
    hosts.flatMap((name) => ports.map((port) => ({ user, name, port }))),
  );
  const answers = (i: ReturnType<typeof emptyIndex>, now = NOW) =>
    questions.map(({ user, name, port }) => {
      const decision = decide(i, user, name, port, now);
      return {
        user,
        name,
        port,
        until: decision.until,
        told: decision.allow ? decision.policyId : decision.reason,
      };
    });
  /** Returns the decisions of an index that contradict the policies. */
  const wrong = (i: ReturnType<typeof emptyIndex>, all: CompanySnapshot[], now = NOW) =>
    answers(i, now).filter(({ user, name, port, told }) => {
      const one = all.find(({ companyId }) => companyId === Math.floor(user / 10));
      const by = one === undefined ? [] : granting(all, one, user, name, port, now);
      return typeof told === 'number' ? !by.includes(told) : by.length > 0;
    });

  test('decide() agrees with a second implementation that checks every policy and site', () => {
    fc.assert(
      fc.property(fc.tuple(snapshot(1), snapshot(2)), (all) => {
        expect(wrong(indexOf(...all), all)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('decide() and the reference implementation of this test agree at any moment, and `until` is no later than the next change of the decision', () => {
    fc.assert(
      fc.property(
        fc.tuple(snapshot(1), snapshot(2)),
        fc.integer({ min: -9_000_000, max: 9_000_000 }),
        (all, ms) => {
          const lived = indexOf(...all);
          const now = NOW + ms;
          expect(wrong(lived, all, now)).toEqual([]);
          const first = answers(lived, now);
          for (const later of edges.filter((at) => at > now)) {
            const changed = answers(lived, later).filter(
              ({ told }, at) => (first[at]?.until ?? 0) > later && told !== first[at]?.told,
            );
            expect([later, changed]).toEqual([later, []]);
          }
        },
      ),
      { numRuns: quickOrSoak(300, 6_000) },
    );
  });

  const step = fc
    .constantFrom(1, 2, 3)
    .chain((id) => fc.oneof({ weight: 3, arbitrary: snapshot(id) }, fc.constant({ gone: id })));

  test('an index after any additions and removals of companies equals a fresh index of the same companies', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 10 }), (history) => {
        const lived = emptyIndex();
        const left = new Map<number, CompanySnapshot>();
        for (const each of history) {
          if ('gone' in each) {
            removeCompany(lived, each.gone);
            left.delete(each.gone);
          } else {
            expect(putCompany(lived, each, true)).toBe(true);
            left.set(each.companyId, each);
          }
        }
        // Adds the same companies to a fresh index, in the order of their ids.
        const all = [1, 2, 3].flatMap((id) => left.get(id) ?? []);
        const fresh = indexOf(...all);
        expect(answers(lived)).toEqual(answers(fresh));
        expect(wrong(lived, all)).toEqual([]);
        const sizes = ({ users, claims, wildClaims }: typeof lived) => [
          users.size,
          [...claims.values()].reduce((sum, { size }) => sum + size, 0),
          wildClaims.size,
        ];
        expect(sizes(lived)).toEqual(sizes(fresh));
      }),
      { numRuns: 200 },
    );
  });
});

test.each([
  [
    'www.crm.example.ru',
    ['www.crm.example.ru', 'crm.example.ru', '*.www.crm.example.ru', '*.crm.example.ru', '*.example.ru'],
  ],
  ['www.ru', ['www.ru', '*.www.ru']],
])('patternsCovering(%s) lists every covering pattern, most exact first', (host, patterns) => {
  expect(patternsCovering(host)).toEqual(patterns);
});

test.each([
  ['of the policy that allows, not the more exact one', 'a.wiki.test', 443, 100, 2],
  ['that is the most exact, for any policy', 'a.wiki.test', 443, null, 1],
  ['that names the port', 'a.wiki.test', 8443, 101, 3],
  ['at a port of none: no site', 'a.wiki.test', 22, null, null],
  ['of a policy for all sites: no site', 'foreign.test', 443, 102, null],
])('siteCovering() finds the site %s', (_, name, port, policyId, site) => {
  const { companies } = indexOf(
    company(1, { 1: 'a.wiki.test', 2: '*.wiki.test', 3: 'a.wiki.test:8443' }, [
      { proxy: 1, sites: [2] },
      { proxy: 1, sites: [3] },
      { proxy: 1, sites: [], allSites: true },
    ]),
  );
  const found = companies.get(1) ?? expect.fail('no company');
  expect(siteCovering(found, host(name), port, policyId)).toBe(site);
});
