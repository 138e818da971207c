import { asksProof, type Endpoint } from '@propusk/contract/endpoint';
import type { Role } from '@propusk/contract/roles';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { byName, companyOf, type Parts, partsOf } from '@propusk/test-kit/matrix/calls';
import { type Expected, parseTarget, type Row, rows, type Target } from '@propusk/test-kit/matrix/rows';
import { type Snapshot, takeSnapshot } from '@propusk/test-kit/matrix/snapshot';
import { type Caller, callers, createWorld, type World } from '@propusk/test-kit/matrix/world';
import { openThreatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
let world: World;
let snapshot: Snapshot;
let powers: Awaited<ReturnType<typeof readPowers>>;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  world = await createWorld(api);
  snapshot = await takeSnapshot(api.database.pool);
  powers = await readPowers();
});
const tally = openThreatCase(
  'tenant isolation',
  'cells of every call, caller and target: the expected response, and the same one for foreign and absent objects',
);
afterAll(() => tally.close());
afterAll(() => api.close());

test('the matrix has rows for every call of the contract and no other rows', () => {
  const called = new Set(rows.map(({ call }) => call));
  expect([...byName.keys()].filter((call) => !called.has(call))).toEqual([]);
  expect([...called].filter((call) => !byName.has(call))).toEqual([]);
  const cells = rows.map(({ call, target }) => `${call} ${target.text}`);
  expect(cells.filter((cell, place) => cells.indexOf(cell) !== place)).toEqual([]);
});

describe(`the api answers ${rows.length * callers.length} combinations of call and caller as expected`, () => {
  test.each(rows.map((row) => [`${row.call}, ${row.target.text}`, row] as const))(
    '%s answers each caller as the matrix expects',
    async (_, row) => {
      const faults: string[] = [];
      for (const caller of callers) {
        const found = await faultsOf(row, caller);
        tally.see(found.length === 0, `${row.call}, ${row.target.text}, ${caller}: ${found.join(', ')}`);
        faults.push(...found.map((fault) => `${caller}: ${fault}`));
      }
      expect(faults).toEqual([]);
    },
  );
});

/**
 * Sends a call as one kind of caller, and checks the response and the database.
 * @returns the differences from the expected result
 */
async function faultsOf({ call, target, expected }: Row, caller: Caller): Promise<string[]> {
  const { status, codes } = expected[caller];
  const reply = await send(call, target, caller);
  const faults: string[] = [];
  const code = reply.error?.code;
  if (reply.status !== status) faults.push(`${reply.status} ${code ?? ''} instead of ${status}`);
  else if (status >= 400 && !(codes ?? [implied[status] ?? '']).includes(code ?? ''))
    faults.push(`${status} is ${code}`);

  const stores = status < 300 && leavesRows(call, target);
  const changed = await snapshot.changed(stores);
  const mayChange = (id: number) => {
    if (status >= 400) return false;
    if (looks.has(call)) return id === world.standing[caller].companyId;
    if (call.startsWith('GET')) return false;
    if (!snapshot.digests.has(id)) return makesCompanies.has(call);
    // A call with re-authentication marks the caller's second-factor code as used, which changes a row of the caller's company.
    if (byName.get(call)?.proof !== undefined && id === (world.standing[caller].companyId ?? 0)) return true;
    return !makesCompanies.has(call) && id === companyOf(target, world, world.standing[caller]);
  };
  const strayed = changed.filter((id) => !mayChange(id));
  if (strayed.length > 0) faults.push(`rows of companies ${strayed.join(', ')} are not as they were`);
  if (stores && changed.length === 0) faults.push('nothing was stored');
  faults.push(...(await auditFaults({ call, target, status, caller })));
  if (status < 300 && !call.startsWith('GET')) faults.push(...(await powerFaults(call, target, caller)));
  // Also restores the database after a call below /auth/, because attempt counters would affect later calls.
  if (
    changed.length > 0 ||
    looks.has(call) ||
    (status < 300 && !call.startsWith('GET')) ||
    call.includes('/auth/')
  ) {
    await snapshot.restore();
  }

  const twin = absentTwin(target, expected[caller]);
  if (twin !== null && reply.status === status) {
    const absent = await send(call, twin, caller);
    const [actual, ofAbsent] = [reply, absent].map((one) => JSON.stringify([one.status, one.error]));
    if (actual !== ofAbsent) faults.push(`${actual}, and for ${twin.text} ${ofAbsent}`);
  }
  return faults;
}

/** Calls that read visits, and that write an audit event only for the first read of a day. */
const looks = new Set(['GET /visits', 'GET /visits/export', 'GET /visits/live']);

/** Calls that change rows without an audit event, each with the reason. */
const unaudited: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    rows.flatMap(({ call, target }) =>
      call.endsWith('/preview') ? [[`${call} + ${target.field}`, 'reads']] : [],
    ),
  ),
  'POST /plans/:id/companies': 'reads',
  'POST /users/import/preview': 'reads',
  'POST /users/import/preview + politics': 'reads',
  'POST /domain-allowed/many/preview': 'reads',
  'POST /domain-allowed/many/preview + politics': 'reads',
  'POST /feed/records': 'the caller is a gateway',
  'POST /auth/register + email': 'a stranger may request it',
  'POST /auth/pairing': 'the sign-in with the code is audited',
  'POST /me/second-factor': 'the factor is off until a code confirms it',
  'POST /users/extension/remind + ids': 'it sends mails and changes nothing',
  'POST /lock + lock': 'reads',
  'POST /auth/link + password': 'reads',
  'POST /auth/invitation + invitation': 'reads',
  'POST /vantage/pair + code': 'the caller is a machine with a code',
  'POST /vantage/work + signature': 'the caller is a vantage',
  'POST /vantage/report + signature': 'the caller is a vantage',
  'POST /proxy/:id/check': 'an observation, not a change by a user',
  'POST /domain-allowed/:id/lock/learn': 'an observation, not a change by a user',
};

/** Checks that a user's change wrote an audit event, and that any other call wrote no event. @returns the faults */
async function auditFaults({
  call,
  target,
  status,
  caller,
}: Pick<Row, 'call' | 'target'> & { status: number; caller: Caller }): Promise<string[]> {
  const [touched, written] = [await snapshot.touched(), await snapshot.written()];
  const events = written.map(({ action, object_kind }) => `${action} ${object_kind}`).join(', ');
  if (status >= 400 || call.startsWith('GET')) {
    const isLook = status < 300 && looks.has(call) && /^visits_(read|exported) company$/.test(events);
    return events === '' || isLook ? [] : [`the audit recorded ${events}`];
  }
  const name = target.field === undefined ? call : `${call} + ${target.field}`;
  if (name in unaudited) return events === '' ? [] : [`the audit recorded ${events} for an unaudited call`];
  if (written.length === 0) return [`the audit recorded nothing; ${touched.join(', ') || 'nothing'} changed`];
  if (call.includes(' /auth/')) return [];
  const standing = world.standing[caller];
  const company = companyOf(target, world, standing);
  const strange = written.filter(
    ({ company_id, actor_id }) =>
      actor_id !== standing.userId || (!makesCompanies.has(call) && (company_id ?? 0) !== company),
  );
  return strange.length === 0 ? [] : [`the audit recorded another actor or company: ${events}`];
}

/** Reads the fields of each account that give control of the account: email, password, roles and second factor. */
async function readPowers(): Promise<Map<number, { protected: boolean; power: string }>> {
  const { rows } = await api.database.pool.query<{ id: number; protected: boolean; power: string }>(`
    select u.id, u.roles && '{CREATOR,ADMIN}' as protected, md5(row(u.email, u.password_hash, u.roles,
      exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null))::text) as power
    from users u`);
  return new Map(rows.map(({ id, ...row }) => [id, row]));
}

/** Whether the api requires re-authentication for a call by this caller to this target. */
function isProved(call: string, target: Target, caller: Caller): boolean {
  const standing = world.standing[caller];
  const endpoint = byName.get(call);
  const { body } = partsOf(call, target, { world, caller: standing });
  return endpoint !== undefined && asksProof(endpoint, rolesOf(caller), body);
}

const rolesOf = (caller: Caller): readonly Role[] =>
  caller === 'both' ? ['USER', 'CREATOR'] : caller === 'bare' ? [] : [caller.replace('2', '') as Role];

/**
 * Finds changes of another account's email, password, roles or second factor without the required re-authentication. Every
 * change by an ADMIN, and every change to the account of an owner or ADMIN, requires re-authentication. Public calls are
 * exempt, because they need a mailed link.
 */
async function powerFaults(call: string, target: Target, caller: Caller): Promise<string[]> {
  const access = byName.get(call)?.access;
  const { userId } = world.standing[caller];
  if (access === 'public' || access === 'maybe-signed-in' || isProved(call, target, caller)) return [];
  const faults: string[] = [];
  for (const [id, { protected: strong, power }] of await readPowers()) {
    const before = powers.get(id);
    if (id === userId || before?.power === power) continue;
    const needed = before === undefined ? strong : caller === 'ADMIN' || strong || before.protected;
    if (needed) faults.push(`power over account ${id} without proof`);
  }
  return faults;
}

describe('re-authentication', () => {
  const provable = rows.flatMap((row) =>
    callers.filter((caller) => row.expected[caller].status < 300).map((caller) => [row, caller] as const),
  );
  test('a call with re-authentication is refused without the right password and code', async () => {
    const faults: string[] = [];
    let asked = 0;
    for (const [{ call, target }, caller] of provable) {
      if (!isProved(call, target, caller)) continue;
      asked += 1;
      const standing = world.standing[caller];
      const endpoint = byName.get(call) as Endpoint;
      const parts = partsOf(call, target, { world, caller: standing });
      const { currentPassword, code, ...rest } = parts.body as Record<string, unknown>;
      const bodies = {
        nothing: rest,
        code: { ...rest, code },
        'wrong password': { ...rest, code, currentPassword: 'a wrong horse' },
      };
      const withFactor = ['both', 'ADMIN'].includes(caller)
        ? { 'no code': { ...rest, currentPassword } }
        : {};
      for (const [name, body] of Object.entries({ ...bodies, ...withFactor })) {
        const { status } = await api.call(standing.token, endpoint, { ...parts, body });
        const changed = await snapshot.changed();
        if (status !== 400 || changed.length > 0)
          faults.push(`${call}, ${target.text}, ${caller}, ${name}: ${status}`);
        await snapshot.restore();
      }
    }
    expect(faults).toEqual([]);
    expect(asked).toBeGreaterThan(20);
  });
});

const implied: Record<number, string> = {
  400: 'bad_input',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
};
/** Calls other than GET that change none of the rows that this test compares. */
const reads = new Set([
  'POST /lock',
  'POST /auth/link',
  'POST /auth/invitation',
  'POST /plans/:id/companies',
  'POST /feed/records',
  'POST /users/extension/remind',
  'POST /visits/end',
  'POST /users/import/preview',
  'POST /domain-allowed/many/preview',
]);
const makesCompanies = new Set(['POST /auth/registration', 'POST /company']);

/**
 * Whether a successful call changes rows that this test compares. A sign-in or sign-out changes only sessions, which are not
 * compared. A call about a missing object changes nothing.
 */
function leavesRows(call: string, { path, which }: Target): boolean {
  const sessions = call === 'POST /auth/login' || call === 'DELETE /auth/logout';
  if (call.startsWith('GET') || call.endsWith('/preview') || sessions || reads.has(call)) return false;
  return path !== 'absent' && path !== 'asking' && which !== 'unknown';
}

/**
 * Returns a copy of the target with an id that never existed, if the expected status is 404 or 400; otherwise null. A call must
 * get equal responses for both targets, because a different response would reveal that the object exists.
 */
function absentTwin({ text, path, field, which }: Target, { status }: Expected): Target | null {
  if (status === 404 && path !== 'absent') return parseTarget(text.replace(path, 'absent'));
  if (status === 400 && (which === 'other' || which === 'own' || which === 'admin')) {
    return parseTarget(text.replace(`${field} ${which}`, `${field} absent`));
  }
  return null;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly error: { code: string } | undefined;
}

async function send(call: string, target: Target, caller: Caller): Promise<Answer> {
  const endpoint = byName.get(call);
  if (endpoint === undefined) throw new Error(`the contract has no ${call}`);
  const standing = world.standing[caller];
  if (call === 'GET /feed' && caller === 'gate') return openFeed();
  const parts: Parts = partsOf(call, target, { world, caller: standing });
  return api.call(standing.token, endpoint, parts);
}

/** Opens the feed and reads only the status, because the stream does not end. */
async function openFeed(): Promise<Answer> {
  const response = await api.app.inject({
    url: '/api/feed',
    headers: { authorization: `Bearer ${world.standing.gate.token}` },
    payloadAsStream: true,
  });
  response.stream().destroy();
  return { status: response.statusCode, body: undefined, error: undefined };
}

describe('lists contain exactly the rows visible to the caller', () => {
  const company = 'company_id = OWN';
  const viaPolicies = 'in (select policy_id from policy_users where user_id = ME)';
  const owners: Caller[] = ['CREATOR', 'both', 'CREATOR2'];
  const agents: Caller[] = ['USER', 'USER2'];
  test.each<[string, Caller[], string]>([
    ['GET /users', ['ADMIN'], 'select id from users'],
    ['GET /users/company', owners, `select id from users where ${company}`],
    ['GET /users/company-all', owners, `select id from users where ${company}`],
    ['GET /company', ['ADMIN'], 'select id from companies'],
    ['GET /company/invitations', ['ADMIN'], 'select id from company_invitations'],
    ['GET /proxy', owners, `select id from proxies where ${company} or company_id is null`],
    ['GET /proxy', ['ADMIN'], 'select id from proxies'],
    ['GET /proxy/admin', ['ADMIN'], 'select id from proxies'],
    ['GET /domain-allowed', agents, `select site_id as id from policy_sites where policy_id ${viaPolicies}`],
    ['GET /domain-allowed', owners, `select id from sites where ${company}`],
    ['GET /domain-allowed', ['ADMIN'], 'select id from sites'],
    ['GET /politics', agents, `select id from policies where id ${viaPolicies}`],
    ['GET /politics', owners, `select id from policies where ${company}`],
    ['GET /politics', ['ADMIN'], 'select id from policies'],
  ])('%s lists exactly the rows visible to each of %j', async (call, who, statement) => {
    for (const caller of who) {
      const { userId, companyId } = world.standing[caller];
      const { rows: mine } = await api.database.pool.query<{ id: number }>(
        `${statement} order by 1`.replace('OWN', String(companyId)).replace('ME', String(userId)),
      );
      const { body } = await send(call, parseTarget('-'), caller);
      const listed = (Array.isArray(body) ? body : (body as { rows: unknown[] }).rows) as { id: number }[];
      expect(mine.length).toBeGreaterThan(0);
      expect(listed.map(({ id }) => id)).toEqual(mine.map(({ id }) => id));
    }
  });
});
