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
  writeFileSync(join(root, 'lib/propusk/bin/node'), '#!/bin/sh\nshift 3\necho "product $*"\n', { mode: 0o755 });
});
afterAll(() => rmSync(root, { recursive: true }));

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(join(root, 'bin/propusk'), args, {
    ...(asRoot && ordinary),
    env: { PATH: '/usr/bin:/bin', PROPUSK_ETC: join(root, 'etc'), ...env },
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

describe('propusk restore', () => {
  const file = '/etc/hostname';
  test('a restore with the phrase of another machine prints the phrase of the next backups', () => {
    expect(run(['restore', file], { BACKUP_PASSPHRASE: 'of the lost machine' })).toEqual({
      status: 0,
      said: `product restore ${file}\nСледующие копии закроет другая фраза, этого сервера. Запишите её отдельно от него:\n  own phrase\n`,
    });
  });

  test('a restore with the own phrase prints no phrase', () => {
    expect(run(['restore', file])).toEqual({ status: 0, said: `product restore ${file}\n` });
  });
});
