import { emptyIndex, putCompany } from '@propusk/access/snapshot';
import { type GatewayRecord, recordIdOf, recordOf } from '@propusk/contract/gateway-records';
import { company } from '@propusk/test-kit/gateway/world';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createActiveRequests } from '../policy/active-requests.ts';
import { createAuthorizer } from '../policy/authorize.ts';
import { LIMITS, localLimits } from '../policy/concurrency-limits.ts';
import { AccessRecords } from './access-records.ts';
import type { Visit } from './visit.ts';

/** When records are written, how refusals are grouped, and how many of them. */

const caller = { userId: 1, epoch: 1, expires: Number.MAX_SAFE_INTEGER };
const RUN = '0b7f5d5e-6c0f-4c0e-9f5e-000000000000';
let sent: GatewayRecord[];
/** The times up to which everything was in rows. */
let safe: number[];
let records: AccessRecords;
const index = emptyIndex();
putCompany(index, company(['crm.company.test']));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate', 'Date'] });
  sent = [];
  safe = [];
  records = new AccessRecords(index, RUN, {
    add: (row) => sent.push(recordOf(RUN, row)),
    flush: (at) => safe.push(at),
  });
  records.start();
});
afterEach(() => {
  records.stop();
  vi.useRealTimers();
});

/** Advances the fake clock, and then runs the turns of the event loop in which a tick finishes its work. */
function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
  // The only other timer is that of the ticks.
  while (vi.getTimerCount() > 1) vi.advanceTimersToNextTimer();
}
const all = () => sent;

function openVisit(host = 'crm.company.test'): Visit {
  const requests = createActiveRequests(
    createAuthorizer(index, () => false, Date.now),
    localLimits(LIMITS),
  );
  const active = requests.start(caller, { host: host as never, port: 443 });
  if (active instanceof Promise) throw new Error('a local limit has asked a primary');
  const meter = { measure: (visit: Visit) => void (visit.up += 10) };
  const visit = records.open('tunnel', active, '192.0.2.1', meter);
  if (visit === null) throw new Error('a user has no visit');
  visit.count = 1;
  return visit;
}

test('a visit is written within a second, every 60 s and at its end', () => {
  const visit = openVisit();
  pass(1_000);
  expect(all()).toMatchObject([{ open: true, ms: 1_000, up: 10, siteId: 1000 }]);
  pass(59_000);
  expect(all()).toHaveLength(1);
  pass(1_000);
  expect(all()[1]).toMatchObject({ open: true, ms: 61_000, up: 20 });
  pass(60_000);
  expect(all()).toHaveLength(3);
  records.close(visit, 'user_removed');
  records.close(visit, '');
  pass(1_000);
  expect(all().slice(3)).toMatchObject([
    { open: false, ms: 121_000, reason: 'user_removed', id: recordIdOf(RUN, visit.number) },
  ]);
  pass(180_000);
  expect(all()).toHaveLength(4);
});

test('a visit that ends before the next tick is written once, at its end', () => {
  const visit = openVisit();
  pass(500);
  expect(all()).toEqual([]);
  records.close(visit, '');
  expect(all()).toMatchObject([{ open: false, ms: 500, up: 10 }]);
  pass(120_000);
  expect(all()).toHaveLength(1);
});

test('one turn of the event loop writes at most 500 records', () => {
  for (let i = 0; i < 1_200; i++) openVisit();
  const counts = [1_000, 1, 1].map((ms) => vi.advanceTimersByTime(ms) && all().length);
  expect(counts).toEqual([500, 1_000, 1_200]);
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

test('until repetitions are written, the time up to which everything is in rows stands still', () => {
  const begun = Date.now();
  pass(2_000);
  expect(safe.at(-1)).toBe(begun + 2_000);
  for (let i = 0; i < 2; i++) records.refuse(caller, 'crm.company.test:443', 'no_policy', '192.0.2.1');
  pass(1_000);
  records.refuse(caller, 'crm.company.test:443', 'no_policy', '192.0.2.1');
  pass(1_000);
  expect(safe.at(-1)).toBe(begun);
  pass(60_000);
  expect(safe.at(-1)).toBe(Date.now());
});

/** The last update of each record. */
const latest = () => [...new Map(all().map((record) => [record.id, record])).values()];
const total = (of: readonly GatewayRecord[], key: 'count' | 'visits') =>
  of.reduce((sum, record) => sum + (record[key] ?? 1), 0);

test('refusals of a user beyond the budget become one record for each reason, and none is lost', () => {
  for (let i = 0; i < 300; i++) records.refuse(caller, `h${i}.test:443`, 'site_unknown', '192.0.2.1');
  // These hosts exceed the limit of 400 hosts an hour.
  for (let i = 300; i < 900; i++) records.refuse(caller, `h${i}.test:443`, 'site_unknown', '192.0.2.2');
  for (let i = 0; i < 3_000; i++)
    records.refuse(caller, 'crm.company.test:443', 'no_policy', `10.0.${i >> 8}.${i & 255}`);
  pass(60_000);
  const refusals = latest();
  expect(refusals.length).toBeLessThanOrEqual(2_000);
  expect(total(refusals, 'count')).toBe(3_900);
  expect(refusals.filter(({ host }) => host === '*')).toMatchObject([
    { reason: 'site_unknown', count: 500, userId: 1, companyId: 1, address: '' },
    { reason: 'no_policy', userId: 1, companyId: 1 },
  ]);
});

test('refusals of one user and of clients without credentials take no record from a user of another company', () => {
  putCompany(index, company(['wiki.company.test'], { id: 2 }));
  for (let i = 0; i < 30_000; i++) {
    records.refuse(caller, `h${i}.test:443`, 'site_unknown', '192.0.2.1');
    records.refuse(
      undefined,
      '',
      'no_credentials',
      `2001:db8:0:${(i % 5_000).toString(16)}::${i.toString(16)}`,
    );
  }
  records.refuse({ ...caller, userId: 11 }, 'h1.test:443', 'site_unknown', '192.0.2.1');
  pass(60_000);
  expect(latest().filter(({ companyId }) => companyId === 2)).toMatchObject([{ host: 'h1.test', count: 1 }]);
});

test('clients without credentials get one record for each /64 and reason, and 200 records a minute in all', () => {
  for (let i = 0; i < 500; i++)
    records.refuse(undefined, '', 'no_credentials', `2001:db8::${i.toString(16)}`);
  pass(60_000);
  expect(latest()).toMatchObject([{ address: '2001:db8::0', count: 500 }]);
  for (let i = 0; i < 300; i++) records.refuse(undefined, '', 'no_credentials', `10.0.${i >> 8}.${i & 255}`);
  pass(60_000);
  expect(all().at(-1)).toMatchObject({ kind: 'loss', count: 100, reason: 'capped' });
});

test('visits beyond the budget share one summary record a minute, which is open while any of its visits is open', () => {
  const visits = Array.from({ length: 2_500 }, () => openVisit());
  pass(1_000);
  const [sum, ...more] = latest().filter((record) => record.visits !== undefined);
  expect(more).toEqual([]);
  expect(latest().length).toBeLessThan(2_000);
  expect(total(latest(), 'visits')).toBe(2_500);
  expect(sum).toMatchObject({ open: true, siteId: 1000, host: 'crm.company.test', userId: 1 });
  for (const visit of visits) records.close(visit, '');
  pass(10_000);
  expect(latest().every(({ open }) => !open)).toBe(true);
  expect(total(latest(), 'count')).toBe(2_500);
  // Each visit was measured at least twice; each measurement adds 10 bytes.
  expect(latest().find(({ id }) => id === sum?.id)?.up).toBeGreaterThanOrEqual(500 * 20);
  const { ms = 0, visits: count = 0 } = latest().find(({ id }) => id === sum?.id) ?? {};
  expect(Math.round(ms / count / 100)).toBe(10);
});

test('a summary record that changes each second is written every 10 s', () => {
  for (let i = 0; i < 1_960; i++) openVisit();
  for (let second = 0; second < 55; second++) {
    records.close(openVisit(), '');
    pass(1_000);
  }
  const sum = all().filter((record) => record.visits !== undefined);
  expect(sum.at(-1)?.visits).toBeGreaterThan(30);
  expect(sum.length).toBeLessThanOrEqual(7);
});

test('a cut visit that was alone in its summary record leaves no empty record', () => {
  for (let i = 0; i < 1_960; i++) openVisit();
  const visit = openVisit();
  pass(1_000);
  records.close(visit, 'user_removed');
  pass(10_000);
  expect(latest().filter((record) => record.visits !== undefined)).toMatchObject([
    { visits: 1, count: 1, reason: 'user_removed', open: false },
  ]);
});

test('a user whose budget is used up gets one summary record an hour, and cut visits share a record for each reason', () => {
  const sites = ['crm.company.test', ...Array.from({ length: 99 }, (_, i) => `s${i}.company.test`)];
  putCompany(index, company(sites, { version: 2 }));
  const visits = Array.from({ length: 2_100 }, () => openVisit());
  pass(1_000);
  visits.slice(-20).forEach((visit) => records.close(visit, 'user_removed'));
  pass(1_000);
  expect(latest().filter(({ reason }) => reason === 'user_removed')).toMatchObject([
    { visits: 20, open: false },
  ]);
  // Each minute adds 20 tokens for summary records; each site needs one token.
  for (let minute = 0; minute < 3; minute++) {
    for (let i = 0; i < 100; i++) records.close(openVisit(sites[i]), '');
    pass(60_000);
  }
  const ofHour = latest().filter(({ host }) => host === '*');
  expect(ofHour).toMatchObject([{ port: 0, userId: 1, companyId: 1 }]);
  expect(latest().length).toBeLessThan(2_000 + 3 * 20);
  expect(total(latest(), 'visits')).toBe(2_400);
  putCompany(index, company(['crm.company.test'], { version: 3 }));
});

test('the event “end” for a summary record cuts all visits of that record and no others', () => {
  const visits = Array.from({ length: 2_500 }, () => openVisit());
  pass(1_000);
  const sum = latest().find((record) => record.visits !== undefined);
  records.end({ companyId: 1, record: sum?.id ?? '' });
  const cut = visits.filter(({ active }) => active?.signal.aborted === true);
  expect(cut).toHaveLength(sum?.visits ?? 0);
});

test('the records of a deleted user’s attempts hold only the network of the address', () => {
  records.refuse({ ...caller, userId: 99 }, 'crm.company.test:443', 'user_removed', '192.0.2.77');
  pass(1_000);
  expect(all()).toMatchObject([{ userId: 99, address: '192.0.2.0' }]);
});

test('an invalid host name is recorded in lower case and without the bytes that no host name may contain', () => {
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
