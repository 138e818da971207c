import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readCrx } from '../../test/crx-reader.ts';
import { archiveOf, extensionId, packCrx, publicKeyOf } from './crx.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const archive = Buffer.from('PK archive of the extension');

test('a packed CRX has a valid signature of the archive by the given key', () => {
  const crx = packCrx(archive, privateKey);
  const read = readCrx(crx);
  expect(read.archive.equals(archive)).toBe(true);
  expect(read.publicKey.equals(publicKeyOf(privateKey))).toBe(true);
  expect(archiveOf(crx).equals(archive)).toBe(true);
  expect(packCrx(archive, privateKey).equals(crx)).toBe(true);
});

test('every changed byte of a CRX is refused', () => {
  const crx = packCrx(archive, privateKey);
  for (let at = 0; at < crx.length; at++) {
    const changed = Buffer.from(crx);
    changed.writeUInt8(crx.readUInt8(at) ^ 1, at);
    expect(() => readCrx(changed), `byte ${at}`).toThrow(Error);
  }
});

test('a signature by another key is refused', () => {
  const crx = packCrx(archive, privateKey);
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const [own, foreign] = [publicKeyOf(privateKey), publicKeyOf(other)];
  const at = crx.indexOf(own);
  const forged = Buffer.concat([crx.subarray(0, at), foreign, crx.subarray(at + own.length)]);
  expect(() => readCrx(forged)).toThrow('signature');
});

test('the extension id equals the id that Chromium displays for the key of the unpacked build', () => {
  const [, key = ''] = /'(MIIB[^']+)'/.exec(readFileSync('apps/extension/manifest.ts', 'utf8')) ?? [];
  expect(extensionId(Buffer.from(key, 'base64'))).toBe('gpljgooplcjfekmocbjjmongfpmdllmn');
});

test("packCrx makes the same file as Chromium's own packer from the same archive and key", () => {
  const folder = mkdtempSync(join(tmpdir(), 'propusk-crx-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'unpacked'));
  const manifest = { manifest_version: 3, name: 'test', version: '1.0' };
  writeFileSync(join(folder, 'unpacked/manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { status, stderr } = spawnSync(
    process.env.CHROMIUM ?? '/usr/bin/chromium',
    [
      ...['--no-sandbox', '--headless', '--disable-gpu', `--user-data-dir=${join(folder, 'profile')}`],
      ...[`--pack-extension=${join(folder, 'unpacked')}`, `--pack-extension-key=${join(folder, 'key.pem')}`],
    ],
    { encoding: 'utf8', timeout: 120_000 },
  );
  expect(status, stderr).toBe(0);
  const packed = readFileSync(join(folder, 'unpacked.crx'));
  // The signature is deterministic, so the same archive and key must give the same file.
  expect(packCrx(readCrx(packed).archive, privateKey).equals(packed)).toBe(true);
});
