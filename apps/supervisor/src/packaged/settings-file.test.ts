import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unknownSettings } from './known-settings.ts';
import { withSettings } from './settings-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'propusk-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function settings(text: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const path = join(folder, 'propusk.env');
  writeFileSync(path, text);
  return withSettings(path, env);
}

test('values of the settings file keep inner spaces and quotes, whether they are quoted or not', () => {
  const text = `# a comment
MAIL_FROM=Пропуск компании <pass@example.ru>
A="Пропуск <pass@example.ru>"
B='with "double" quotes'
C="a#b"

PORT=3000
`;
  expect(settings(text)).toEqual({
    MAIL_FROM: 'Пропуск компании <pass@example.ru>',
    A: 'Пропуск <pass@example.ru>',
    B: 'with "double" quotes',
    C: 'a#b',
    PORT: '3000',
  });
});

test('a variable of the environment overrides the settings file', () => {
  expect(settings('PORT=3000\nHOST=::1\n', { PORT: '4000' })).toEqual({ PORT: '4000', HOST: '::1' });
});

test('a missing settings file leaves the environment unchanged', () => {
  expect(withSettings(join(folder, 'absent'), { PORT: '1' })).toEqual({ PORT: '1' });
});

test.each(['SMTP_URL=smtp://u:a#b@host', 'PORT=3000 # the console', 'PORT=# none'])(
  'withSettings refuses an unquoted # and names the setting: %s',
  (line) => {
    expect(() => settings(`# a "comment"\nHOST=::1\n${line}\n`)).toThrow(line.split('=')[0]);
  },
);

test.each(['DATA_DIR=/srv', 'BACKUP_PASSPHRASE=correct horse'])(
  'withSettings refuses a setting that the Debian package fixes: %s',
  (line) => {
    expect(() => settings(line)).toThrow(`${line.split('=')[0]} не задают в ${folder}`);
  },
);

test('withSettings accepts a DATA_DIR equal to that of the environment', () => {
  const env = { DATA_DIR: '/var/lib/propusk' };
  expect(settings('DATA_DIR=/var/lib/propusk\n', env)).toEqual(env);
});

test('names that no setting has are listed; settings of api, gateway, backups and runtime are not', () => {
  const path = join(folder, 'propusk.env');
  writeFileSync(
    path,
    'PUBLIK_URL=https://a.test\nPUBLIC_URL=\n#X=1\nGATEWAY_TLS_KEY=/k\nBACKUP_DAYS=7\nNODE_EXTRA_CA_CERTS=/c\nSMPT_URL=\n',
  );
  expect(unknownSettings(path)).toEqual(['PUBLIK_URL', 'SMPT_URL']);
});
