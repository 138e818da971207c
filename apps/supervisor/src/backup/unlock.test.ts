import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { passKeys } from './header.ts';

/** Restores a backup of another machine. The file contains only the header, which is enough to check a passphrase. */
const command = fileURLToPath(new URL('restore-command.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'propusk-unlock-'));
const file = join(folder, 'a.backup');
const env = { ...process.env, DATA_DIR: join(folder, 'data'), BACKUP_PASSPHRASE: 'of this machine' };
beforeAll(async () => {
  const salt = 'A'.repeat(22);
  const { check } = await passKeys('of the other machine', salt);
  const created = '2026-01-01T00:00:00.000Z';
  const header = { propusk: 'backup', format: 1, created, migration: '001-0.1', tables: {}, salt, check };
  writeFileSync(file, `${JSON.stringify(header)}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Types each phrase at its question. @returns what the terminal showed, and the exit code */
async function restore(phrases: readonly string[]): Promise<{ shown: string; code: unknown }> {
  const line = `'${process.execPath}' '${command}' '${file}'`;
  const child = spawn('script', ['-qec', line, '/dev/null'], { env });
  let shown = '';
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
  const ended = once(child, 'close');
  for (const [place, phrase] of phrases.entries()) {
    await expect.poll(() => shown.split('Введите ту').length - 1).toBe(place + 1);
    child.stdin.write(`${phrase}\r`);
  }
  const [code] = await ended;
  return { shown, code };
}

test('in a terminal a restore asks for the passphrase of the backup when the stored one does not fit, without echo', async () => {
  const { shown, code } = await restore(['a typing error', 'of the other machine']);
  expect(shown).toContain('Файл копии повреждён');
  expect(shown).not.toMatch(/typing|other machine/);
  expect(code).toBe(1);
});

test('a restore asks for the passphrase at most three times, and then ends without changes', async () => {
  const { shown, code } = await restore(['first', 'second', 'third']);
  expect(shown).toMatch(/Фраза не подходит к этой копии, и ничего не изменено/);
  expect([code, existsSync(env.DATA_DIR)]).toEqual([1, false]);
});

test('without a terminal a restore says to run it in one, or to give the passphrase from a file', () => {
  const { stderr, status } = spawnSync(process.execPath, [command, file], { env, encoding: 'utf8' });
  expect(stderr).toMatch(/^Фраза не подходит.* в терминале.*BACKUP_PASSPHRASE=\$\(cat ФАЙЛ\)\n$/);
  expect([status, existsSync(env.DATA_DIR)]).toEqual([1, false]);
});
