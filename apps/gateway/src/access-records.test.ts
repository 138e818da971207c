import { emptyIndex, putCompany } from '@propusk/access/snapshot';
import type { GatewayRecord } from '@propusk/contract/records';
import { company } from '@propusk/test-kit/gateway/world';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AccessRecords, type Visit } from './access-records.ts';
import { createActiveRequests } from './active-requests.ts';
import { createAuthorizer } from './authorize.ts';
import { LIMITS, localLimits } from './concurrency-limits.ts';

/** When records are written, how refusals are grouped, and how many of them. */

const caller = { userId: 1, epoch: 1, expires: Number.MAX_SAFE_INTEGER };
let sent: GatewayRecord[][];
let records: AccessRecords;
const index = emptyIndex();
putCompany(index, company(['crm.company.test']));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'Date'] });
  sent = [];
  records = new AccessRecords(index, (batch) => sent.push(batch));
  records.start();
});
afterEach(() => {
  records.stop();
  vi.useRealTimers();
});

const pass = (ms: number) => void vi.advanceTimersByTime(ms);
const all = () => sent.flat();

function openVisit(): Visit {
  const requests = createActiveRequests(
    createAuthorizer(index, () => false),
    localLimits(LIMITS),
  );
  const active = requests.start(caller, { host: 'crm.company.test' as never, port: 443 });
  if (active instanceof Promise) throw new Error('a local limit has asked a primary');
  const meter = { measure: (visit: Visit) => void (visit.up += 10) };
  const visit = records.open('tunnel', active, '192.0.2.1', meter);
  if (visit === null) throw new Error('a user has no visit');
  visit.count = 1;
  records.queue(visit);
  return visit;
}

test('a visit is written within a second, every 60 s and at its end', () => {
  const visit = openVisit();
  pass(1_000);
  expect(all()).toMatchObject([{ open: true, ms: 1_000, up: 10, siteId: 1000 }]);
  pass(58_000);
  expect(all()).toHaveLength(1);
  pass(1_000);
  expect(all()[1]).toMatchObject({ open: true, ms: 60_000, up: 20 });
  pass(60_000);
  expect(all()).toHaveLength(3);
  records.close(visit, 'user_removed');
  records.close(visit, '');
  pass(1_000);
  expect(all().slice(3)).toMatchObject([{ open: false, ms: 120_000, reason: 'user_removed', id: visit.id }]);
  pass(180_000);
  expect(all()).toHaveLength(4);
});

test('999 changed records are written at once', () => {
  for (let i = 0; i < 999; i++) openVisit();
  pass(1);
  expect(sent.map(({ length }) => length)).toEqual([0, 999]);
});

test('a repeated refusal is written at its start and at the end of its minute', () => {
  records.refuse(caller, 'crm.company.test:443', 'no_policy', '192.0.2.1');
  pass(1_000);
  for (let i = 0; i < 5; i++) records.refuse(caller, 'crm.company.test:443', 'no_policy', '192.0.2.1');
  records.refuse(caller, 'crm.company.test:443', 'too_many', '192.0.2.1');
  pass(58_000);
  expect(all()).toMatchObject([{ count: 1, siteId: 1000 }, { reason: 'too_many' }]);
  pass(1_000);
  expect(all().slice(2)).toMatchObject([{ id: all()[0]?.id, count: 6, open: false, ms: 1_000 }]);
  records.refuse(caller, 'crm.company.test:443', 'no_policy', '192.0.2.1');
  pass(1_000);
  expect(all()[3]?.id).not.toBe(all()[0]?.id);
});

test('an address has 100 refusal records a minute, and the rest is one record of loss', () => {
  for (let i = 0; i < 150; i++) records.refuse(caller, `h${i}.test:443`, 'site_unknown', '192.0.2.1');
  records.refuse(caller, 'h1.test:443', 'site_unknown', '192.0.2.2');
  pass(60_000);
  const losses = all().filter(({ kind }) => kind === 'loss');
  expect(all()).toHaveLength(102);
  expect(losses).toMatchObject([{ reason: 'capped', count: 50, address: '', host: '' }]);
  records.refuse(caller, 'h149.test:443', 'site_unknown', '192.0.2.1');
  pass(1_000);
  expect(all()).toHaveLength(103);
});

test('a company without addresses has one group for all its clients, and each client has its own limit of refusals', () => {
  putCompany(index, { ...company(['crm.company.test'], { version: 2 }), addresses: 'none' });
  for (let i = 0; i < 150; i++) records.refuse(caller, `h${i}.test:443`, 'site_unknown', '192.0.2.1');
  records.refuse(caller, 'h1.test:443', 'site_unknown', '192.0.2.2');
  records.refuse(caller, 'h149.test:443', 'site_unknown', '192.0.2.2');
  pass(60_000);
  putCompany(index, company(['crm.company.test'], { version: 3 }));
  const last = new Map(all().map((record) => [record.id, record]));
  expect([...last.values()].filter(({ kind }) => kind === 'refusal')).toHaveLength(101);
  expect([...last.values()].filter(({ host }) => host === 'h1.test')).toMatchObject([
    { count: 2, address: '' },
  ]);
  expect([...last.values()].filter(({ kind }) => kind === 'loss')).toMatchObject([{ count: 50 }]);
});

test('a gateway has 10,000 refusal records a minute, in batches of at most 999', () => {
  for (let i = 0; i < 10_100; i++)
    records.refuse(undefined, '', 'no_credentials', `10.0.${i >> 8}.${i & 255}`);
  pass(60_000);
  expect(all()).toHaveLength(10_001);
  expect(all().at(-1)).toMatchObject({ kind: 'loss', count: 100 });
  expect(Math.max(...sent.map(({ length }) => length))).toBe(999);
});

test('a host that no site can have is recorded in lower case, and bytes that are none are dropped', () => {
  records.refuse(caller, '127.0.0.1:80', 'bad_host', 'a');
  records.refuse(caller, 'LOCALHOST:80', 'bad_host', 'a');
  records.refuse(caller, 'a"\u0000b:80', 'bad_host', 'a');
  pass(1_000);
  expect(all().map(({ host }) => host)).toEqual(['127.0.0.1:80', 'localhost:80', '']);
});

test('stop() closes the open visits and sends all waiting records', () => {
  openVisit();
  records.refuse(undefined, '', 'no_credentials', 'a');
  records.stop();
  expect(all()).toMatchObject([{ kind: 'tunnel', open: false }, { kind: 'refusal' }]);
});
