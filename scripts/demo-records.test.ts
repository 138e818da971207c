import { RecordBatch } from '@propusk/contract/gateway-records';
import { expect, test } from 'vitest';
import { demoBatches } from './demo-records.ts';

const person = (id: number) => ({ id, sites: [{ id: 5, host: 'crm.romashka.test', policyId: 9 }] });
// A Thursday at noon in Moscow.
const now = Date.parse('2026-11-26T09:00:00Z');
const batches = demoBatches([{ companyId: 1, people: [1, 2, 3, 4, 5].map(person) }], now);
const records = batches.flatMap((batch) => batch.records ?? []);
const inZone = (at: string) => new Date(Date.parse(at) + 3 * 3_600_000);

test('the records of the demo are valid batches of two months, with open visits and refusals, none after now', () => {
  for (const batch of batches) expect(RecordBatch.parse(batch)).toEqual(batch);
  expect(batches.map(({ number }) => number)).toEqual(batches.map((_, at) => at + 1));
  expect(records.every(({ startedAt, ms }) => Date.parse(startedAt) + ms <= now)).toBe(true);
  expect(records.filter(({ open }) => open)).toHaveLength(2);
  expect(new Set(records.map(({ reason }) => reason)).size).toBeGreaterThan(3);
  const days = new Set(records.map(({ startedAt }) => inZone(startedAt).toISOString().slice(0, 10)));
  expect(days.size).toBeGreaterThan(45);
});

test('the demo has few visits on weekends, and most between 9 and 19 hours in Moscow', () => {
  const closed = records.filter(({ open }) => !open).map(({ startedAt }) => inZone(startedAt));
  const weekend = closed.filter((at) => [0, 6].includes(at.getUTCDay()));
  expect(weekend.length).toBeLessThan(closed.length / 10);
  expect(closed.every((at) => at.getUTCHours() >= 9 && at.getUTCHours() <= 19)).toBe(true);
});
