import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asRoot, ordinary } from '@propusk/test-kit/embedded/scratch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** The command of the Debian package with a stand-in for the product, run by an ordinary user. */
let root: string;
beforeAll(() => {
  root = mkdtempSync('/tmp/propusk-shell-');
  chmodSync(root, 0o755);
  for (const folder of ['bin', 'etc', 'lib/propusk/bin']) mkdirSync(join(root, folder), { recursive: true });
  cpSync('deploy/debian/propusk', join(root, 'bin/propusk'));
  writeFileSync(join(root, 'etc/propusk.env'), '');
  writeFileSync(join(root, 'etc/backup-passphrase'), 'own phrase\n');
  writeFileSync(
    join(root, 'lib/propusk/bin/node'),
    '#!/bin/sh\nshift 3\necho "product $*${NEXT_PASSPHRASE:+ $BACKUP_PASSPHRASE, then $NEXT_PASSPHRASE}"\n',
    {
      mode: 0o755,
    },
  );
});
afterAll(() => rmSync(root, { recursive: true }));

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, user = asRoot ? ordinary : {}) {
  const { status, stdout, stderr } = spawnSync(join(root, 'bin/propusk'), args, {
    ...user,
    env: { PATH: '/usr/bin:/bin', PROPUSK_ETC: join(root, 'etc'), ...env },
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

describe('propusk restore', () => {
  const file = '/etc/hostname';
  test('propusk restore passes on the given passphrase and the passphrase of the installation', () => {
    expect(run(['restore', file], { BACKUP_PASSPHRASE: 'of the lost machine' })).toEqual({
      status: 0,
      said: `product restore ${file} of the lost machine, then own phrase\n`,
    });
  });

  test('propusk restore uses the passphrase of the installation when none is given', () => {
    const said = `product restore ${file} own phrase, then own phrase\n`;
    expect(run(['restore', file])).toEqual({ status: 0, said });
  });
});

describe('errors of the propusk command', () => {
  test.each<[args: string, status: number, said: string]>([
    ['foo', 2, 'Команды «foo» нет. Все команды: propusk help\n'],
    ['restore', 2, 'У команды не те аргументы. Нужно так:\npropusk restore ФАЙЛ     восстановить'],
    ['api x', 2, 'У команды не те аргументы. Нужно так:\npropusk api, gateway'],
    ['doctor --fail x', 1, 'Нужно так: propusk doctor --file ФАЙЛ\n'],
    ['restore /absent', 1, 'Файла /absent нет: проверьте путь\n'],
    ['upgrade a.deb', 1, 'Не хватает прав. Запустите от root: sudo propusk upgrade a.deb\n'],
    ['extension', 1, 'Не хватает прав. Запустите от root: sudo propusk extension\n'],
    ['restart', 1, 'Не хватает прав. Запустите от root: sudo propusk restart\n'],
  ])('propusk %s ends with %i and a sentence', (args, status, said) => {
    const result = run(args.split(' '));
    expect(result).toEqual({ status, said: expect.stringContaining(said) });
    expect(result.said.split('\n').length).toBeLessThan(5);
  });

  test.skipIf(!asRoot).each(['--help', '-h'])(
    `propusk extension %s is refused instead of read as a file${asRoot ? '' : ' (skipped: needs root)'}`,
    (option) => {
      const said = 'Нужно так: propusk extension [ФАЙЛ.xpi]\n';
      expect(run(['extension', option], {}, {})).toEqual({ status: 1, said });
    },
  );

  test.each([
    'setup a.test b@a.test',
    'status',
    'doctor',
    'passphrase',
    'mail',
    'sites',
    'backup',
    'restore /x',
  ])('propusk %s by a user who may not read the settings names the command with sudo', (args) => {
    const env = { PROPUSK_ENV: asRoot ? '/etc/shadow' : '/proc/1/environ' };
    const said = `Не хватает прав. Запустите от root: sudo propusk ${args}\n`;
    expect(run(args.split(' '), env)).toEqual({ status: 1, said });
  });
});

test.each(['backup', 'admin', 'sites', 'mail', 'status'])(
  'propusk %s before the setup says to begin with the setup, and afterwards runs',
  (command) => {
    const said = '«Пропуск» ещё не настроен. Начните с propusk setup ДОМЕН ПОЧТА\n';
    expect(run([command], { DATA_DIR: join(root, 'data') })).toEqual({ status: 1, said });
    for (const line of ['PUBLIC_URL=https://a.test', 'DATABASE_URL=postgres://a.test']) {
      const settings = join(root, 'etc/other.env');
      writeFileSync(settings, `${line}\n`);
      expect(run([command], { DATA_DIR: join(root, 'data'), PROPUSK_ENV: settings })).toMatchObject({
        status: 0,
      });
    }
  },
);
