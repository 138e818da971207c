import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@propusk/processes/start-error';
import { asRoot, makeScratch, removeScratch, startHolder } from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { holdsLock, lockDataDir } from './data-dir-lock.ts';

let scratch: string;
beforeAll(() => {
  scratch = makeScratch();
});
afterAll(() => removeScratch(scratch));

test('of twenty simultaneous starts on one data folder exactly one succeeds, and the others name its process', async () => {
  const folder = join(scratch, 'twenty');
  const holders = Array.from({ length: 20 }, () => startHolder(['lock', folder]));
  onTestFinished(async () => void (await Promise.all(holders.map((holder) => holder.end()))));
  const lines = await Promise.all(holders.map((holder) => holder.line));

  const winners = holders.filter((_, i) => lines[i] === 'LOCKED');
  expect(winners).toHaveLength(1);
  const refusals = lines.filter((line) => line !== 'LOCKED');
  for (const line of refusals) {
    expect(line).toContain(`(процесс ${winners[0]?.child.pid}): остановите его`);
  }
  await Promise.all(holders.map((holder) => holder.end()));
  await (await lockDataDir(folder)).release();
});

test('the lock of a killed process is free at once', async () => {
  const folder = join(scratch, 'killed');
  const holder = startHolder(['lock', folder]);
  expect(await holder.line).toBe('LOCKED');
  await holder.end('SIGKILL');
  expect(existsSync(join(folder, 'propusk.pid'))).toBe(true);

  await (await lockDataDir(folder)).release();
  expect(existsSync(join(folder, 'propusk.pid'))).toBe(false);
});

test('a recorded pid that another program has now does not hold the lock of the data folder', async () => {
  const folder = join(scratch, 'recycled');
  mkdirSync(folder);
  const stranger = spawn('sleep', ['60']);
  writeFileSync(join(folder, 'propusk.lock'), '');
  writeFileSync(join(folder, 'propusk.pid'), `${stranger.pid} 12345\n`);

  const lock = await lockDataDir(folder);
  // A pid with another start time is not named as the holder either.
  writeFileSync(join(folder, 'propusk.pid'), `${stranger.pid} 12345\n`);
  const other = startHolder(['lock', folder]);
  expect(await other.line).toMatch(
    /^REFUSED StartError: Пропуск уже запущен на папке данных \S+: остановите/,
  );
  await lock.release();
  stranger.kill();
});

test('one process cannot lock a folder twice, and a refused attempt leaves the lock intact', async () => {
  const folder = join(scratch, 'twice');
  const lock = await lockDataDir(folder);
  const mine = readFileSync(join(folder, 'propusk.pid'), 'utf8');
  await expect(lockDataDir(`${folder}/../twice`)).rejects.toThrow(StartError);
  const other = startHolder(['lock', folder]);
  expect(await other.line).toContain(`(процесс ${process.pid})`);
  expect(readFileSync(join(folder, 'propusk.pid'), 'utf8')).toBe(mine);
  expect(holdsLock(folder)).toBe(true);

  await lock.release();
  await lock.release();
  expect(holdsLock(folder)).toBe(false);
});

test('a new data folder is closed to other users, and an existing one keeps its mode', async () => {
  const fresh = join(scratch, 'fresh');
  await (await lockDataDir(fresh)).release();
  expect(statSync(fresh).mode & 0o777).toBe(asRoot ? 0o710 : 0o700);
  expect(statSync(join(fresh, 'propusk.lock')).mode & 0o777).toBe(0o600);

  const existing = join(scratch, 'existing');
  mkdirSync(existing, { mode: 0o700 });
  await (await lockDataDir(existing)).release();
  expect(statSync(existing).mode & 0o777).toBe(0o700);
});

test('a data folder that cannot be created stops the start with one line', async () => {
  writeFileSync(join(scratch, 'file'), '');
  await expect(lockDataDir(join(scratch, 'file', 'data'))).rejects.toThrow(
    /^Не удалось создать папку данных \S+ \(DATA_DIR\): на месте папки лежит файл\.$/,
  );
});
