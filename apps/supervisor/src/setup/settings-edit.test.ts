import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { setupPhrases } from '@propusk/phrases/setup';
import { expect, test } from 'vitest';
import { differences, editSettings, previousOf, replaceFile } from './settings-edit.ts';

const own = `# the owner's note
#PUBLIC_URL=https://example.test
export PORT=3100
MINE=kept

HOST=a
HOST=b`;

test('editSettings keeps comments, order and unknown lines, and changes the last line of a name', () => {
  const wanted = { PUBLIC_URL: 'https://pass.test', HOST: '::', PORT: '3100', TLS: 'auto' };
  expect(editSettings(own, wanted)).toBe(`# the owner's note
#PUBLIC_URL=https://example.test
PUBLIC_URL=https://pass.test
export PORT=3100
MINE=kept

HOST=a
HOST=::
TLS=auto
`);
});

test('editSettings changes nothing the second time', () => {
  const once = editSettings(own, { TLS: 'auto', MAIL: "a 'b' #c" });
  expect(editSettings(once, { TLS: 'auto', MAIL: "a 'b' #c" })).toBe(once);
});

test.each(['a b', 'smtp://u:p#w@host', 'x$1$&', `it's "q"`.slice(0, 4), '', 'back\\slash'])(
  'a value that editSettings writes reads back the same: %s',
  (value) => {
    expect(parseEnv(editSettings('', { NAME: value })).NAME).toBe(value);
  },
);

test('editSettings refuses a value that its line cannot hold, and an edit inside a value of several lines', () => {
  expect(() => editSettings('', { NAME: `'"` })).toThrow(setupPhrases.notEditable());
  expect(() => editSettings('A="x\nTLS=off\ny"\n', { TLS: 'auto' })).toThrow(setupPhrases.notEditable());
});

test.each([
  ['SMTP_URL=smtp://user:p@ss/w:rd@mx.test', 'SMTP_URL=smtp://user:***@mx.test'],
  ['SMTP_URL=smtp://user@mail.test:p@ss@mx.test', 'SMTP_URL=smtp://user@mail.test:***@mx.test'],
  [
    'DATABASE_URL=postgres://db.test/propusk?password=p@ss',
    'DATABASE_URL=postgres://db.test/propusk?password=***',
  ],
  ['SMTP_URL=smtp://:secret@mx.test', 'SMTP_URL=smtp://:***@mx.test'],
  ['ADMIN_PASSWORD=secret', 'ADMIN_PASSWORD=***'],
  ['PGPASSWORD=secret', 'PGPASSWORD=***'],
  ['SECRET_KEY=secret', 'SECRET_KEY=***'],
  ['GATEWAY_SECRET=secret', 'GATEWAY_SECRET=***'],
  ['BACKUP_PASSPHRASE=secret', 'BACKUP_PASSPHRASE=***'],
  ['GATEWAY_TLS_KEY=/etc/key.pem', 'GATEWAY_TLS_KEY=/etc/key.pem'],
  ['PUBLIC_URL=https://pass.test:8443', 'PUBLIC_URL=https://pass.test:8443'],
])('differences masks secret values and passwords in URLs: %s', (line, shown) => {
  expect(differences(`A=1\n`, `${line}\n`)).toEqual(['  − A=1', `  + ${shown}`]);
  expect(differences(`${line}\n`, '')).toEqual([`  − ${shown}`]);
});

test('replaceFile keeps the mode and leaves the former text beside the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'propusk-edit-'));
  const path = join(folder, 'propusk.env');
  writeFileSync(path, 'A=1\n', { mode: 0o600 });
  replaceFile(path, 'A=2\n');
  expect([readFileSync(path, 'utf8'), readFileSync(previousOf(path), 'utf8')]).toEqual(['A=2\n', 'A=1\n']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  rmSync(folder, { recursive: true });
});
