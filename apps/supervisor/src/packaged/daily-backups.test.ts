import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotate } from './daily-backups.ts';

const now = new Date('2026-11-24T03:10:00Z');
const daily = (day: string) => `daily-${day}T03-00-07Z.backup`;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'propusk-rotate-'));
  for (const day of ['2026-10-01', '2026-11-17', '2026-11-18', '2026-11-23', '2026-11-24'])
    writeFileSync(join(folder, daily(day)), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('rotate keeps the daily backups of seven days, or of BACKUP_DAYS days', () => {
  expect(rotate(folder, {}, now)).toEqual([daily('2026-10-01'), daily('2026-11-17')]);
  expect(readdirSync(folder)).toEqual([daily('2026-11-18'), daily('2026-11-23'), daily('2026-11-24')]);
  rotate(folder, { BACKUP_DAYS: '1' }, now);
  expect(readdirSync(folder)).toEqual([daily('2026-11-24')]);
});

test('rotate keeps backups that the operator made', () => {
  const own = [
    'propusk-2020-01-01T00-00-00Z.backup',
    'daily-2020-01-01.backup',
    'daily-2020-01-01T03-00-07Z.backup.gpg',
  ];
  for (const name of own) writeFileSync(join(folder, name), '');
  rotate(folder, {}, now);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(own));
});

test('rotate refuses an invalid BACKUP_DAYS by name and removes nothing', () => {
  expect(() => rotate(folder, { BACKUP_DAYS: '0' }, now)).toThrow('BACKUP_DAYS');
  expect(readdirSync(folder)).toHaveLength(5);
});
