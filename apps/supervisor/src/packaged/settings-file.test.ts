import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('values keep their spaces and quotes, with and without quotes around them', () => {
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

test('a variable of the environment precedes the file', () => {
  expect(settings('PORT=3000\nHOST=::1\n', { PORT: '4000' })).toEqual({ PORT: '4000', HOST: '::1' });
});

test('a missing file leaves the environment as it is', () => {
  expect(withSettings(join(folder, 'absent'), { PORT: '1' })).toEqual({ PORT: '1' });
});

test.each(['SMTP_URL=smtp://u:a#b@host', 'PORT=3000 # the console', 'PORT=# none'])(
  'an unquoted # is refused with the name of the setting: %s',
  (line) => {
    expect(() => settings(`# a "comment"\nHOST=::1\n${line}\n`)).toThrow(line.split('=')[0]);
  },
);

test.each(['DATA_DIR=/srv', 'BACKUP_PASSPHRASE=correct horse'])(
  'a setting that the package fixes is refused: %s',
  (line) => {
    expect(() => settings(line)).toThrow(`${line.split('=')[0]} не задают в ${folder}`);
  },
);

test('the same DATA_DIR as in the environment is accepted', () => {
  const env = { DATA_DIR: '/var/lib/propusk' };
  expect(settings('DATA_DIR=/var/lib/propusk\n', env)).toEqual(env);
});
