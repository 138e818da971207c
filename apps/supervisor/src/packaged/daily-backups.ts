import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, wholeNumber } from '@propusk/contract/settings';
import { settingPhrases } from '@propusk/phrases/settings';

const DAY_MS = 24 * 60 * 60_000;
/**
 * The file names that /usr/bin/propusk gives to daily backups. Every other file in the folder belongs to
 * the operator.
 */
const daily = /^daily-(\d{4}-\d{2}-\d{2})T[\dZ-]+\.backup$/;

/**
 * Removes the daily backups that are older than BACKUP_DAYS (7). It counts calendar days of UTC by the file's name.
 * @returns the removed names
 * @throws SettingError
 */
export function rotate(folder: string, env: NodeJS.ProcessEnv, now = new Date()): string[] {
  const { BACKUP_DAYS } = readSettings({ BACKUP_DAYS: wholeNumber(7, 1, 3650) }, env, settingPhrases);
  const today = Date.parse(now.toISOString().slice(0, 10));
  const old = readdirSync(folder).filter((name) => {
    const day = daily.exec(name)?.[1];
    return day !== undefined && today - Date.parse(day) >= BACKUP_DAYS * DAY_MS;
  });
  for (const name of old) rmSync(join(folder, name));
  return old;
}
