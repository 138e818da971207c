import type { ConnectionRefusal } from '@propusk/overload/connection-limit';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { logConnectionRefusals } from './connection-refusals.ts';

test('reset connections are logged as one line a minute with the count of each reason, and the rest at the stop', () => {
  vi.useFakeTimers();
  const lines: unknown[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).reset) });
  const counts = new Map<ConnectionRefusal, number>().set('address', 2).set('memory', 0);
  const stop = logConnectionRefusals(counts, log);
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([]);
  counts.set('address', 500).set('memory', 1);
  vi.advanceTimersByTime(59_000);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(lines).toEqual([{ address: 498, memory: 1 }]);
  vi.advanceTimersByTime(60_000);
  counts.set('memory', 2);
  stop();
  expect(lines.slice(1)).toEqual([{ memory: 1 }]);
  vi.useRealTimers();
});
