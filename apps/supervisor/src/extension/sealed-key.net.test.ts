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

/** The command `propusk extension` without the shell, on real builds. */
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

test('a key that was lost with the builds returns from its sealed copy by the passphrase, with the same id', () => {
  const first = sign({ BACKUP_PASSPHRASE: phrase });
  expect(first).toMatchObject({ status: 0, id: expect.any(String) });
  const pem = readFileSync(keyFile, 'utf8');
  rmSync(keyFile);
  rmSync(folder, { recursive: true });
  // The machine has another passphrase than the backup.
  const again = sign({ BACKUP_PASSPHRASE: phrase, NEXT_PASSPHRASE: 'of this machine' });
  expect(again).toMatchObject({ status: 0, id: first.id });
  expect([readFileSync(keyFile, 'utf8'), statSync(keyFile).mode & 0o777]).toEqual([pem, 0o600]);
  rmSync(keyFile);
  expect(sign({ BACKUP_PASSPHRASE: phrase })).toMatchObject({ status: 1, id: undefined });
  expect(sign({ BACKUP_PASSPHRASE: 'of this machine' })).toMatchObject({ status: 0, id: first.id });
});

test('another passphrase does not open a sealed key, and no new key is made', () => {
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
  ['changed', (text) => text.replace(/("id":")./, '$1z')],
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

test('a damaged copy is sealed again while the key is there', () => {
  sign({ BACKUP_PASSPHRASE: phrase });
  writeFileSync(sealed, 'damaged');
  expect(sign({ BACKUP_PASSPHRASE: phrase }).status).toBe(0);
  expect(JSON.parse(readFileSync(sealed, 'utf8'))).toHaveProperty('frame');
});

test('without a passphrase the key is not sealed, and the command says that no backup has it', () => {
  const { status, said } = sign();
  expect([status, existsSync(sealed)]).toEqual([0, false]);
  expect(said).toContain(signingPhrases.keepKey(keyFile));
});

test('a backup takes a sealed key only if its own passphrase opens it, and otherwise warns', async () => {
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
  // A folder is unreadable for root too.
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
