import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { login } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { register } from '@propusk/contract/registration';
import { verify } from '@propusk/supervisor/backup/reader';
import { freePort } from '@propusk/test-kit/daemon';
import { caller } from '../../scripts/call.ts';
import {
  makeDataDir,
  type RunningProduct,
  removeDataDir,
  runProduct,
  stopProduct,
  untilReady,
} from '../support/product.ts';

/** The backup commands as an operator runs them: back up a running product, restore into another folder. */
const BACKUP_PASSPHRASE = 'верная лошадь, батарейка и скоба';
const person = { email: 'owner@romashka.test', password: 'correct horse' };
const root = fileURLToPath(new URL('../..', import.meta.url));

let outer: string;
let source: RunningProduct;
let file: string;
let token: string;
const started: RunningProduct[] = [];

function run(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): { child: ChildProcess; said: Promise<string> } {
  const child = spawn('npm', ['run', '--silent', command, '--', ...args], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BACKUP_PASSPHRASE, ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  return { child, said: once(child, 'close').then(([code]) => `${said.trim()}\n${code}`) };
}

/** Runs a command that must be refused. @returns the single line of its output */
async function refusal(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const [line = '', ...rest] = (await run(command, args, env).said).split('\n');
  expect(rest, line).toEqual(['1']);
  return line;
}

async function start(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<RunningProduct> {
  const product = runProduct(dataDir, { console: await freePort(), gateway: await freePort() }, env);
  started.push(product);
  return product;
}

test.beforeAll(async () => {
  outer = await makeDataDir();
  source = await start(join(outer, 'source'));
  await untilReady(source);
  const call = caller(() => source.consoleUrl);
  const company = { name: 'Ромашка', companyName: 'ООО «Ромашка»', companySite: 'romashka.test' };
  ({ token } = await call(null, register, { body: { ...company, ...person } }));
  file = join(outer, 'propusk.backup');
  expect(await run('backup', [file], { DATA_DIR: source.dataDir }).said).toMatch(/^Копия готова: .*\n0$/);
});
test.afterAll(async () => {
  for (const product of started) await stopProduct(product);
  await removeDataDir(outer);
});

test('a backup restored into another folder keeps accounts and ends old sessions', async () => {
  const DATA_DIR = join(outer, 'target');
  // The packaged command sets NEXT_PASSPHRASE, which a restore prints when the backup has another passphrase.
  const next = { DATA_DIR, NEXT_PASSPHRASE: 'of this machine' };
  expect(await run('restore', [file], next).said).toMatch(
    /восстановлена в .*\nСледующие копии закроет другая фраза.*\n {2}of this machine\n0$/,
  );
  for (const name of ['secret-key', 'gateway-secret']) {
    expect(await readFile(join(DATA_DIR, name), 'utf8')).toBe(
      await readFile(join(source.dataDir, name), 'utf8'),
    );
  }
  const target = await start(DATA_DIR);
  await untilReady(target);
  const call = caller(() => target.consoleUrl);
  await expect(call(token, me)).rejects.toThrow('401');
  const { token: fresh } = await call(null, login, { body: person });
  expect(await call(fresh, me)).toMatchObject({ email: person.email });
  await stopProduct(target);
  // A stopped product can be backed up as well.
  const second = join(outer, 'stopped.backup');
  expect(await run('backup', [second], { DATA_DIR }).said).toMatch(/Копия готова: .*\n0$/);
});

test('a backup restores into an empty external database only, and that database can be backed up again', async () => {
  const socket = join(source.dataDir, 'postgres');
  await promisify(execFile)('psql', [
    ...['-h', socket, '-U', 'postgres', '-c', 'create database outer_one owner propusk'],
  ]);
  const DATABASE_URL = `postgresql://propusk@/outer_one?host=${encodeURIComponent(socket)}`;
  const DATA_DIR = join(outer, 'outside');
  expect(await run('restore', [file], { DATA_DIR, DATABASE_URL }).said).toMatch(/восстановлена в .*\n0$/);
  expect((await readdir(DATA_DIR)).toSorted()).toEqual(['gateway-secret', 'propusk.lock', 'secret-key']);
  const again = { DATA_DIR: join(outer, 'again'), DATABASE_URL };
  expect(await refusal('restore', [file], again)).toContain('уже есть таблицы');
  expect(existsSync(again.DATA_DIR)).toBe(false);
  const target = await start(DATA_DIR, { DATABASE_URL });
  await untilReady(target);
  const call = caller(() => target.consoleUrl);
  const { token: fresh } = await call(null, login, { body: person });
  expect(await call(fresh, me)).toMatchObject({ email: person.email });
  const path = join(outer, 'outer.backup');
  expect(await run('backup', [path], { DATA_DIR, DATABASE_URL }).said).toMatch(/Копия готова: .*\n0$/);
  await stopProduct(target);
});

test('the backup and restore commands prompt for the passphrase without echo, and a new backup prompts twice', async () => {
  const path = join(outer, 'typed.backup');
  const child = spawn('script', ['-qec', `npm run --silent backup -- ${path}`, '/dev/null'], {
    cwd: root,
    env: { ...process.env, BACKUP_PASSPHRASE: '', DATA_DIR: source.dataDir },
  });
  let shown = '';
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
  const ended = once(child, 'close');
  await expect.poll(() => shown, { timeout: 20_000 }).toContain('Придумайте фразу');
  // The typed passphrase holds a wrong letter and the backspace that deletes it.
  child.stdin.write('typed by hand, notx\u007F shown\r');
  await expect.poll(() => shown).toContain('Ещё раз');
  child.stdin.write('typed by hand, not shown\r');
  expect((await ended)[0]).toBe(0);
  expect(shown).toContain('Копия готова');
  expect(shown).not.toContain('typed by hand');
  await verify(path, 'typed by hand, not shown');
});

test('restore refuses an existing folder and a running product, and changes neither', async () => {
  expect(await refusal('restore', [file], { DATA_DIR: source.dataDir })).toContain('Пропуск уже запущен');
  const call = caller(() => source.consoleUrl);
  expect(await call(token, me)).toMatchObject({ email: person.email });
  const full = await makeDataDir();
  await writeFile(join(full, 'notes'), '');
  expect(await refusal('restore', [file], { DATA_DIR: full })).toContain('не пусто (notes)');
  expect(await readdir(full)).toEqual(['notes']);
  await removeDataDir(full);
});

test('restore refuses a bad file, passphrase or key before it creates a folder', async () => {
  const DATA_DIR = join(outer, 'untouched');
  const cut = join(outer, 'cut.backup');
  await writeFile(cut, (await readFile(file)).subarray(0, -10));
  const refusals: [string[], NodeJS.ProcessEnv, string][] = [
    [[cut], {}, 'повреждён'],
    [[file], { BACKUP_PASSPHRASE: 'совсем другая фраза' }, 'Фраза не подходит'],
    [[file], { BACKUP_PASSPHRASE: '' }, 'BACKUP_PASSPHRASE'],
    [[file], { SECRET_KEY: 'quite another secret of the tests' }, 'другой SECRET_KEY'],
    [[join(outer, 'absent')], {}, 'нет: проверьте путь'],
    [[], {}, 'npm run restore -- ФАЙЛ'],
  ];
  for (const [args, env, text] of refusals) {
    expect(await refusal('restore', args, { DATA_DIR, ...env })).toContain(text);
  }
  expect(existsSync(DATA_DIR)).toBe(false);
  expect(await refusal('backup', [file], { DATA_DIR: source.dataDir })).toContain('уже есть');
  const fresh = join(outer, 'fresh.backup');
  expect(await refusal('backup', [fresh], { DATA_DIR })).toContain('нет базы данных');
  expect(
    await refusal('backup', [fresh], { DATA_DIR: source.dataDir, BACKUP_PASSPHRASE: 'short' }),
  ).toContain('короче');
  expect(existsSync(fresh)).toBe(false);
});

test('the product refuses to start on a data folder that a killed restore left incomplete', async () => {
  const DATA_DIR = join(outer, 'killed');
  const { child, said } = run('restore', [file], { DATA_DIR });
  // Kill the restore as soon as its marker file exists.
  await expect
    .poll(() => existsSync(join(DATA_DIR, 'restore.unfinished')), { intervals: [10], timeout: 30_000 })
    .toBe(true);
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await said;
  const product = await start(DATA_DIR);
  expect(await product.ended).not.toBe(0);
  expect(product.output().trim().split('\n')).toHaveLength(1);
  expect(product.output()).toContain('Восстановление копии');
  expect(await refusal('restore', [file], { DATA_DIR })).toContain('прервалось');
});
