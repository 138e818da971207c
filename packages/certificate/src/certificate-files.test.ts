import { Server } from 'node:tls';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followCertificate, warnOfExpiry } from './certificate-files.ts';

const DAY_MS = 86_400_000;
const END = Date.UTC(2026, 10, 30);
let warnings: string[];
let warn: (expiresAt: number) => void;

beforeEach(() => {
  vi.useFakeTimers();
  warnings = [];
  warn = warnOfExpiry({ warn: (facts) => void warnings.push((facts as { expires: string }).expires) });
});
afterEach(() => void vi.useRealTimers());

/** Checks the certificate's expiry for every hour until `daysLeft` days are left. @returns the number of warnings */
function until(daysLeft: number, end = END): number {
  for (; Date.now() < end - daysLeft * DAY_MS; vi.advanceTimersByTime(3_600_000)) warn(end);
  return warnings.length;
}

test('the log warns once 30, 7, 1 and 0 days before a certificate expires', () => {
  vi.setSystemTime(END - 90 * DAY_MS);
  expect([until(30), until(28), until(7), until(6), until(1), until(0.5), until(0), until(-3)]).toEqual([
    0, 1, 1, 2, 2, 3, 3, 4,
  ]);
  expect(new Set(warnings)).toEqual(new Set(['2026-11-30T00:00:00.000Z']));
});

test('the log warns again before a renewed certificate expires', () => {
  vi.setSystemTime(END - 2 * DAY_MS);
  expect(until(1.5)).toBe(1);
  const renewed = END + 90 * DAY_MS;
  expect([until(31, renewed), until(29, renewed)]).toEqual([1, 2]);
});

test('the log warns once at the start when the certificate expires tomorrow', () => {
  vi.setSystemTime(END - 0.5 * DAY_MS);
  expect(until(0.1)).toBe(1);
});

test('a server without a certificate yet warns that it waits, and reports no error', async () => {
  vi.useRealTimers();
  const said: string[] = [];
  const say = (_: object, message: string) => void said.push(message);
  const files = { cert: '/absent/cert.pem', key: '/absent/key.pem', settings: ['CERT', 'KEY'] } as const;
  const stop = followCertificate(new Server(), files, {}, { info: () => undefined, warn: say, error: say });
  await expect.poll(() => said).toEqual(['Waiting for the certificate']);
  stop();
});
