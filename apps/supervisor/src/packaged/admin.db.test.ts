import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { packagedPhrases } from '@propusk/phrases/launcher';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const command = [process.execPath, join(import.meta.dirname, 'database-command.ts'), 'admin'];
const run = ([program = '', ...args]: readonly string[]) =>
  spawnSync(program, args, {
    env: { PATH: '/usr/bin:/bin', DATABASE_URL: api.database.url, PUBLIC_URL: 'https://pass.example.ru' },
    encoding: 'utf8',
  });

test('propusk admin prints a link to a terminal, and an error without a link to a pipe', async () => {
  expect(run(command)).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `${packagedPhrases.terminalOnly()}\n`,
  });
  const links = () => api.database.db.selectFrom('mail_links').select('token_hash').execute();
  expect(await links()).toEqual([]);
  const { stdout } = run(['script', '-qec', command.join(' '), '/dev/null']);
  expect(stdout).toMatch(/^ {2}https:\/\/pass\.example\.ru\/security\/login#token=\S{43}&for=password\s/m);
  expect(await links()).toHaveLength(1);
});
