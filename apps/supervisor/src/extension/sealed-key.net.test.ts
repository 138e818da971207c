import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backupPhrases, signingPhrases } from '@propusk/phrases/launcher';
import { asRoot, canPlayOrdinary, ordinary } from '@propusk/test-kit/embedded/scratch';
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { sealedForBackup } from '../backup/sealed-key.ts';
import { buildExtension } from '../build-extension.ts';

/** The script that `propusk extension` runs. Tests run it on real builds. */
const command = fileURLToPath(new URL('extension-command.ts', import.meta.url));
const phrase = 'correct horse battery';

let root: string;
let keyFile: string;
let sealed: string;
let folder: string;
beforeAll(() => buildExtension(() => undefined), 120_000);
beforeEach(() => {
  root = mkdtempSync('/tmp/propusk-sealed-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  chmodSync(root, 0o755);
  [keyFile, sealed, folder] = [join(root, 'key.pem'), join(root, 'key.sealed'), join(root, 'signed')];
  const settings = join(root, 'propusk.env');
  writeFileSync(settings, 'PUBLIC_URL=https://pass.example.ru\n', { mode: 0o640 });
  if (asRoot) chownSync(settings, 0, ordinary.gid);
});

/** @returns the exit code, what the command printed, and the id in Chromium */
function sign(env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [command, join(root, 'propusk.env'), keyFile, sealed],
    { env: { PATH: process.env.PATH, EXTENSION_DIR: folder, ...env }, encoding: 'utf8' },
  );
  return { status, said: stdout + stderr, id: /Chromium +([a-p]{32})/.exec(stdout)?.[1] };
}

test('the command restores a missing key and both ids from the sealed copy when the builds are missing too', () => {
  const first = sign({ BACKUP_PASSPHRASE: phrase });
  expect(first).toMatchObject({ status: 0, id: expect.any(String) });
  const pem = readFileSync(keyFile, 'utf8');
  rmSync(keyFile);
  rmSync(folder, { recursive: true });
  // The passphrase of the machine differs from that of the backup, and the console has moved.
  writeFileSync(join(root, 'propusk.env'), 'PUBLIC_URL=https://new.example.ru\n');
  const again = sign({ BACKUP_PASSPHRASE: phrase, NEXT_PASSPHRASE: 'of this machine' });
  expect(again).toMatchObject({ status: 0, id: first.id });
  const builds = JSON.parse(readFileSync(join(folder, 'builds.json'), 'utf8'));
  expect(builds).toMatchObject({
    firefoxId: 'propusk@pass.example.ru',
    base: 'https://new.example.ru/downloads/',
  });
  expect([readFileSync(keyFile, 'utf8'), statSync(keyFile).mode & 0o777]).toEqual([pem, 0o600]);
  rmSync(keyFile);
  expect(sign({ BACKUP_PASSPHRASE: phrase })).toMatchObject({ status: 1, id: undefined });
  expect(sign({ BACKUP_PASSPHRASE: 'of this machine' })).toMatchObject({ status: 0, id: first.id });
});

test('the command refuses a wrong passphrase for the sealed key and makes no new key', () => {
  sign({ BACKUP_PASSPHRASE: phrase });
  rmSync(keyFile);
  rmSync(folder, { recursive: true });
  const before = readFileSync(sealed, 'utf8');
  const { status, said } = sign({ BACKUP_PASSPHRASE: 'another passphrase' });
  expect([status, said]).toEqual([1, expect.stringContaining(backupPhrases.wrongPassphrase())]);
  expect([existsSync(keyFile), existsSync(folder), readFileSync(sealed, 'utf8')]).toEqual([
    false,
    false,
    before,
  ]);
});

test.each<[damage: string, change: (text: string) => string]>([
  ['cut', (text) => text.slice(0, 200)],
  ['changed in its id', (text) => text.replace(/("id":")./, '$1z')],
  ['changed in its Firefox id', (text) => text.replace('propusk@pass', 'propusk@other')],
])('a sealed key that was %s is refused, and no new key is made', (_, change) => {
  sign({ BACKUP_PASSPHRASE: phrase });
  rmSync(keyFile);
  writeFileSync(sealed, change(readFileSync(sealed, 'utf8')));
  const result = sign({ BACKUP_PASSPHRASE: phrase });
  expect([result.status, result.said]).toEqual([1, expect.stringContaining('Файл копии повреждён')]);
  expect(existsSync(keyFile)).toBe(false);
});

test('a key that differs from the sealed one is refused, and the sealed one stays', () => {
  sign({ BACKUP_PASSPHRASE: phrase });
  const other = readFileSync(sealed, 'utf8');
  rmSync(keyFile);
  rmSync(sealed);
  rmSync(folder, { recursive: true });
  sign({ BACKUP_PASSPHRASE: phrase });
  writeFileSync(sealed, other);
  const { status, said } = sign({ BACKUP_PASSPHRASE: phrase });
  expect([status, said]).toEqual([1, `${signingPhrases.otherSealed(keyFile, sealed, folder)}\n`]);
  expect(readFileSync(sealed, 'utf8')).toBe(other);
});

test('the command replaces a damaged sealed copy while the key file exists', () => {
  sign({ BACKUP_PASSPHRASE: phrase });
  writeFileSync(sealed, 'damaged');
  expect(sign({ BACKUP_PASSPHRASE: phrase }).status).toBe(0);
  expect(JSON.parse(readFileSync(sealed, 'utf8'))).toHaveProperty('frame');
});

test('without a passphrase the command does not seal the key and warns that backups do not contain it', () => {
  const { status, said } = sign();
  expect([status, existsSync(sealed)]).toEqual([0, false]);
  expect(said).toContain(signingPhrases.keepKey(keyFile));
});

test('a backup contains the sealed key only if the backup passphrase opens it, and otherwise prints a warning', async () => {
  const warned = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => warned.mockRestore());
  expect(await sealedForBackup(undefined, phrase)).toBeUndefined();
  expect(await sealedForBackup(sealed, phrase)).toBeUndefined();
  expect(warned).not.toHaveBeenCalled();
  sign({ BACKUP_PASSPHRASE: phrase });
  expect(await sealedForBackup(sealed, phrase)).toBe(readFileSync(sealed, 'utf8').trim());
  expect(warned).not.toHaveBeenCalled();
  expect(await sealedForBackup(sealed, 'another passphrase')).toBeUndefined();
  rmSync(sealed);
  // Not even root can read a folder as a file.
  expect(await sealedForBackup(folder, phrase)).toBeUndefined();
  const lines = [sealed, folder].map((path) => [`${signingPhrases.sealLeftOut(path)}\n`]);
  expect(warned.mock.calls).toEqual(lines);
});

test.skipIf(!canPlayOrdinary)(
  `the group of the settings reads the sealed key, which holds no line of the PEM, and not the key${canPlayOrdinary ? '' : ' (skipped: needs root)'}`,
  () => {
    sign({ BACKUP_PASSPHRASE: phrase });
    const read = (path: string) =>
      spawnSync('cat', [path], { uid: ordinary.uid, gid: ordinary.gid, encoding: 'utf8' });
    expect(read(keyFile)).toMatchObject({ status: 1, stdout: '' });
    const { stdout } = read(sealed);
    const text = stdout + Buffer.from(JSON.parse(stdout).frame, 'base64').toString('latin1');
    for (const line of readFileSync(keyFile, 'utf8').split('\n').filter(Boolean))
      expect(text).not.toContain(line);
    expect(statSync(sealed).mode & 0o777).toBe(0o640);
  },
);
