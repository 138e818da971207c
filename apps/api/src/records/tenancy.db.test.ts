import { randomUUID } from 'node:crypto';
import type { Endpoint } from '@propusk/contract/endpoint';
import { feedRecords } from '@propusk/contract/gateway-records';
import { me } from '@propusk/contract/me';
import {
  companyFigures,
  companyVisits,
  endVisits,
  exportVisits,
  listVisits,
  liveVisits,
  myVisits,
  statistics,
} from '@propusk/contract/records';
import { createSite } from '@propusk/contract/sites';
import { updateUser } from '@propusk/contract/users';
import { startApi, type TestApi, testKeys } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/** The number of random calls. The environment variable TENANCY_TRIES overrides this number. */
const TRIES = Number(process.env.TENANCY_TRIES ?? 1_500);
const AT_ONCE = 8;
/** Every name, host and record id of the first company begins with this mark. The second company has another mark. */
const MARK = 'a1fa';
/** Matches a leak of the first company in a reply: MARK at the beginning of a string or of the record id in a cursor. */
const LEAK = new RegExp(`"(\\d+-)?${MARK}`);
const KINDS = ['tunnel', 'websocket', 'requests', 'refusal'] as const;
const NOW = Date.now();

let api: TestApi;
let [first, second]: Side[] = [];
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  first = await side(MARK, '198.51.100.1');
  second = await side('beef', '203.0.113.1');
});
afterAll(() => api.close());

type Side = Awaited<ReturnType<typeof side>>;

/** Creates a company with an agent, a site and 120 records. The id of each record begins with `mark`. */
async function side(mark: string, address: string) {
  const { token } = await api.company();
  const id = (await api.must(token, me)).company?.id ?? 0;
  const agent = await api.agent(token);
  await api.must(token, updateUser, { params: { id: agent.id }, body: { name: mark } });
  const host = `${mark}.example.ru`;
  const site = await api.must(token, createSite, { body: { address: host } });
  const records = Array.from({ length: 120 }, (_, n) => {
    const kind = KINDS[n % 4] ?? 'tunnel';
    return {
      ...{ id: `${mark}${randomUUID().slice(4)}`, kind, open: n % 7 === 0 && kind !== 'refusal', ms: 5_000 },
      // The records of both companies have the same times, so a cursor of one company is also valid for the other company.
      startedAt: new Date(NOW - (n % 2 ? n : n * 3) * 1_000).toISOString(),
      ...{ companyId: id, userId: agent.id, siteId: site.id, address, host, port: 443, count: 1 },
      ...{ reason: kind === 'refusal' ? 'no_policy' : '', up: 1, down: 2 },
    };
  });
  const run = { gateway: randomUUID(), run: randomUUID(), number: 1 };
  await api.must(testKeys.feed, feedRecords, { body: { ...run, records } });
  return { token, id, agent, site: site.id, address, records };
}

const any = <T>(...choices: T[]): T => choices[Math.floor(Math.random() * choices.length)] as T;
const maybe = (key: string, ...values: (string | number)[]) =>
  Math.random() < 0.4 ? { [key]: any(...values) } : {};
const moment = () => new Date(NOW - Math.random() * 400_000).toISOString();

/** A random cursor with the id of a record of either company, or with an invented id. */
const cursor = () => {
  const { startedAt, id } = any(...(first?.records ?? []), ...(second?.records ?? []));
  return `${Date.parse(startedAt) + any(-1, 0, 1)}-${any(id, randomUUID())}`;
};

/** Returns a random call by company `b`, with ids, addresses and cursors of company `a` or `b`. */
function randomCall(a: Side, b: Side): [token: string, endpoint: Endpoint, input: object] {
  const owner = b.token;
  const target = any(a, a, b);
  const period = Math.random() < 0.5 ? { from: moment(), to: new Date(NOW + 60_000).toISOString() } : {};
  const page = { ...maybe('before', cursor()), ...maybe('take', 1, 7, 100) };
  const filters = {
    ...{ ...maybe('user', a.agent.id, b.agent.id, 1), ...maybe('site', a.site, b.site), ...period, ...page },
    ...('from' in period && {
      ...maybe('address', a.address, b.address),
      ...maybe('reason', 'no_policy'),
      ...maybe('result', 'allowed', 'refused'),
    }),
  };
  const exported = { ...filters, before: undefined, take: undefined };
  const record = any(...target.records).id;
  return any<[string, Endpoint, object]>(
    [owner, listVisits, { query: filters }],
    [owner, listVisits, { query: filters }],
    [owner, exportVisits, { query: exported }],
    [any(owner, b.agent.token), myVisits, { query: { ...page, user: a.agent.id, company: a.id } }],
    [owner, liveVisits, { query: { user: a.agent.id, companyId: a.id } }],
    [owner, statistics, { query: { from: moment(), to: moment(), step: any('hour', 'day') } }],
    [
      owner,
      endVisits,
      { body: any<object>({ record }, { user: target.agent.id }, { record, user: a.agent.id }) },
    ],
    [owner, companyVisits, { params: { id: a.id }, query: filters }],
    [owner, companyFigures, { params: { id: a.id } }],
  );
}

test('no call by a company returns a record or ends a visit of another company', async () => {
  if (first === undefined || second === undefined) throw new Error('no companies');
  const [a, b] = [first, second];
  // Positive control: the reply to the first company's owner contains the mark.
  const own = await api.must(a.token, listVisits, { query: { take: 100 } });
  expect(JSON.stringify(own)).toContain(MARK);
  const ended: string[] = [];
  const listener = api.database.client();
  await listener.connect();
  listener.on('notification', ({ payload }) => ended.push(payload ?? ''));
  await listener.query('listen propusk_end');

  const leaks: string[] = [];
  let rows = 0;
  const statuses = new Map<string, number>();
  async function work(tries: number): Promise<void> {
    for (let n = 0; n < tries; n++) {
      const [token, endpoint, input] = randomCall(a, b);
      const reply = await api.call(token, endpoint, input);
      const text = JSON.stringify(reply.body ?? null);
      if (reply.status < 300 && LEAK.test(text)) leaks.push(`${endpoint.path} ${JSON.stringify(input)}`);
      if (reply.status < 300 && text.includes('beef')) rows += 1;
      const key = `${endpoint.path} ${reply.status}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(TRIES / AT_ONCE)));
  await listener.end();
  expect(leaks).toEqual([]);
  // The test is useful only if many calls return records of the caller's company, and some calls end visits of that company.
  expect(rows).toBeGreaterThan(TRIES / 5);
  expect(ended.length).toBeGreaterThan(0);
  expect(ended.filter((text) => JSON.parse(text).companyId !== b.id)).toEqual([]);
  expect(ended.filter((text) => LEAK.test(text))).toEqual([]);
  expect([...statuses.keys()].filter((key) => /company.* 2|50[0-24-9]$/.test(key))).toEqual([]);
});
