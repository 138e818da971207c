import { createHash, generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signingPhrases } from '@propusk/phrases/launcher';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { manifestFor } from '../../../extension/manifest.ts';
import { readCrx } from '../../test/crx-reader.ts';
import { extensionId } from './crx.ts';
import { publishMozilla, signExtension } from './sign.ts';

let root: string;
let folder: string;
let keyFile: string;
let zips: { chromium: string; firefox: string };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'propusk-sign-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  folder = join(root, 'signed');
  keyFile = join(root, 'key.pem');
  zips = { chromium: join(root, 'chromium.zip'), firefox: join(root, 'firefox.zip') };
  build('1.9.0');
});

/** Writes unsigned builds of a version, with the manifests of the extension. */
function build(version: string): void {
  for (const target of ['chromium', 'firefox'] as const) {
    const manifest = JSON.stringify({ ...manifestFor(target), version });
    writeFileSync(
      zips[target],
      zipSync({ 'manifest.json': strToU8(manifest), 'worker.js': strToU8('work()') }),
    );
  }
}

const signFor = (consoleUrl = 'https://pass.example.ru') =>
  signExtension({ consoleUrl: new URL(consoleUrl), keyFile, zips, folder });
const read = (name: string) => readFileSync(join(folder, name));
const manifestOf = (archive: Uint8Array) =>
  JSON.parse(strFromU8(unzipSync(archive)['manifest.json'] ?? new Uint8Array()));
/** The content of every file of the folder by name. */
const snapshot = () =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, read(name).toString('hex')]));

test('the signed Chromium build has a valid signature, the key from the key file, and the update URL of the console', async () => {
  const { chromiumId, version } = await signFor();
  const { publicKey, archive } = readCrx(read('propusk.crx'));
  expect(version).toBe('1.9.0');
  expect(chromiumId).toBe(extensionId(publicKey));
  expect(manifestOf(archive)).toEqual({
    ...manifestFor('chromium'),
    version: '1.9.0',
    key: publicKey.toString('base64'),
    update_url: 'https://pass.example.ru/downloads/updates.xml',
  });
  expect(strFromU8(unzipSync(archive)['worker.js'] ?? new Uint8Array())).toBe('work()');
  const updates = read('updates.xml').toString();
  expect(updates).toContain('<gupdate xmlns="http://www.google.com/update2/response" protocol="2.0">');
  expect(updates).toContain(`<app appid="${chromiumId}">`);
  expect(updates).toContain(
    '<updatecheck codebase="https://pass.example.ru/downloads/propusk.crx" version="1.9.0"/>',
  );
});

test('the Firefox build has the id of the domain, and updates.json has the hash of its file', async () => {
  const { firefoxId } = await signFor();
  expect(firefoxId).toBe('propusk@pass.example.ru');
  expect(manifestOf(read('propusk.xpi')).browser_specific_settings.gecko).toEqual({
    strict_min_version: '128.0',
    data_collection_permissions: {
      required: ['authenticationInfo', 'browsingActivity'],
      optional: ['technicalAndInteraction'],
    },
    id: firefoxId,
    update_url: 'https://pass.example.ru/downloads/updates.json',
  });
  const hash = createHash('sha256').update(read('propusk.xpi')).digest('hex');
  expect(JSON.parse(read('updates.json').toString())).toEqual({
    addons: {
      [firefoxId]: {
        updates: [
          {
            version: '1.9.0',
            update_link: 'https://pass.example.ru/downloads/propusk.xpi',
            update_hash: `sha256:${hash}`,
          },
        ],
      },
    },
  });
});

test('the zips equal the archives of the signed builds, and builds.json contains their version, ids and base URL', async () => {
  const built = await signFor();
  expect(read('propusk-chromium.zip').equals(readCrx(read('propusk.crx')).archive)).toBe(true);
  expect(read('propusk-firefox.zip').equals(read('propusk.xpi'))).toBe(true);
  const base = 'https://pass.example.ru/downloads/';
  const { chromiumId, firefoxId } = built;
  expect(JSON.parse(read('builds.json').toString())).toEqual({
    version: '1.9.0',
    chromiumId,
    firefoxId,
    base,
    mozilla: false,
  });
});

test('a second run writes the same bytes, and only the owner can read the key', async () => {
  await signFor();
  const [first, key] = [snapshot(), readFileSync(keyFile, 'utf8')];
  expect(Object.keys(first).toSorted()).toEqual([
    'builds.json',
    'propusk-chromium.zip',
    'propusk-firefox.zip',
    'propusk.crx',
    'propusk.xpi',
    'updates.json',
    'updates.xml',
  ]);
  await signFor();
  expect(snapshot()).toEqual(first);
  expect(readFileSync(keyFile, 'utf8')).toBe(key);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'propusk.crx')).mode & 0o777).toBe(0o644);
});

test('a higher version replaces the builds with the same id', async () => {
  const { chromiumId } = await signFor();
  build('1.10.0');
  expect(await signFor()).toMatchObject({ version: '1.10.0', chromiumId });
  expect(read('updates.xml').toString()).toContain('version="1.10.0"');
});

test('the Firefox id of the first signing stays when the console moves to another domain', async () => {
  const { firefoxId, chromiumId } = await signFor();
  const moved = await signFor('https://new.example.ru');
  expect(moved).toMatchObject({ firefoxId, chromiumId, base: 'https://new.example.ru/downloads/' });
  expect(manifestOf(read('propusk.xpi')).browser_specific_settings.gecko).toMatchObject({
    id: firefoxId,
    update_url: 'https://new.example.ru/downloads/updates.json',
  });
  expect(Object.keys(JSON.parse(read('updates.json').toString()).addons)).toEqual([firefoxId]);
});

/** Writes a .xpi as Mozilla returns it: the given archive with changed files. */
function fromMozilla(archive: Uint8Array, changes = {}): string {
  const path = join(root, 'mozilla.xpi');
  const files = { ...unzipSync(archive), 'META-INF/mozilla.rsa': strToU8('signature'), ...changes };
  writeFileSync(path, zipSync(files));
  return path;
}

test('a .xpi that Mozilla signed is published with its hash, and stays at the next signing of its version', async () => {
  const { firefoxId } = await signFor();
  const file = fromMozilla(read('propusk-firefox.zip'));
  expect(publishMozilla(file, folder)).toMatchObject({ firefoxId, version: '1.9.0' });
  const [signed, published] = [readFileSync(file), snapshot()];
  expect(read('propusk.xpi').equals(signed)).toBe(true);
  expect(JSON.parse(read('builds.json').toString())).toMatchObject({ mozilla: true });
  const [update] = JSON.parse(read('updates.json').toString()).addons[firefoxId].updates;
  expect(update.update_hash).toBe(`sha256:${createHash('sha256').update(signed).digest('hex')}`);
  expect(await signFor()).toMatchObject({ xpiVersion: '1.9.0' });
  expect(snapshot()).toEqual(published);
  expect(read('propusk-firefox.zip').equals(signed)).toBe(false);
});

test('an upgrade keeps the .xpi that Mozilla signed with its version until a signed .xpi of the new version is published', async () => {
  const { firefoxId } = await signFor();
  publishMozilla(fromMozilla(read('propusk-firefox.zip')), folder);
  const [xpi, updates] = [read('propusk.xpi'), read('updates.json')];
  build('1.10.0');
  expect(await signFor()).toMatchObject({ version: '1.10.0', xpiVersion: '1.9.0', mozilla: true });
  expect([read('propusk.xpi'), read('updates.json')]).toEqual([xpi, updates]);
  expect(JSON.parse(read('builds.json').toString())).toMatchObject({ version: '1.10.0', mozilla: true });
  expect(manifestOf(read('propusk-firefox.zip')).version).toBe('1.10.0');
  publishMozilla(fromMozilla(read('propusk-firefox.zip')), folder);
  expect(manifestOf(read('propusk.xpi')).version).toBe('1.10.0');
  const [update] = JSON.parse(read('updates.json').toString()).addons[firefoxId].updates;
  expect(update.version).toBe('1.10.0');
  expect(await signFor()).toMatchObject({ xpiVersion: '1.10.0' });
});

test('a version lower than that of the published .xpi is refused, also when the Chromium build is missing', async () => {
  await signFor();
  publishMozilla(fromMozilla(read('propusk-firefox.zip')), folder);
  rmSync(join(folder, 'propusk.crx'));
  build('1.8.0');
  expect(await refusal()).toBe(signingPhrases.lowerVersion('1.8.0', '1.9.0', folder));
});

test('a .xpi is refused before the first signing, and if it is missing, has no Mozilla signature, or has a different id or version', async () => {
  const path = fromMozilla(readFileSync(zips.firefox));
  expect(() => publishMozilla(path, folder)).toThrow(signingPhrases.signFirst());
  const built = await signFor();
  const refusalOf = (file: string) => refusal(async () => publishMozilla(file, folder));
  const other = (found: string) => signingPhrases.otherXpi(path, found, built);
  expect(await refusalOf(path)).toBe(other('extension@propusk.example 1.9.0'));
  const archive = read('propusk.xpi');
  for (const version of ['1.8.0', '1.10.0']) {
    fromMozilla(archive, { 'manifest.json': strToU8(JSON.stringify({ ...manifestOf(archive), version })) });
    expect(await refusalOf(path)).toBe(other(`propusk@pass.example.ru ${version}`));
  }
  writeFileSync(path, archive);
  expect(await refusalOf(path)).toBe(signingPhrases.noXpi(path));
  rmSync(path);
  expect(await refusalOf(path)).toBe(signingPhrases.noXpi(path));
});

/** The message with which signing is refused; fails when the folder changes. */
async function refusal(work: () => Promise<unknown> = signFor): Promise<string> {
  const before = snapshot();
  const message = await work().then(
    () => 'signed',
    (error: Error) => error.message,
  );
  expect(snapshot()).toEqual(before);
  return message;
}

test('a lower version is refused and the builds stay', async () => {
  build('1.10.0');
  await signFor();
  build('1.9.0');
  expect(await refusal()).toBe(signingPhrases.lowerVersion('1.9.0', '1.10.0', folder));
});

test('builds in the folder are never replaced by builds with another key or a new one', async () => {
  await signFor();
  const otherKey = signingPhrases.otherKey(keyFile, folder);
  rmSync(keyFile);
  expect(await refusal()).toBe(otherKey);
  expect(readdirSync(root)).not.toContain('key.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  expect(await refusal()).toBe(otherKey);
});

test.each(['propusk.crx', 'propusk.xpi'])(
  'a damaged earlier %s is refused, because its version, key or id is unknown',
  async (name) => {
    await signFor();
    writeFileSync(join(folder, name), read(name).subarray(0, 400));
    expect(await refusal()).toBe(signingPhrases.damaged(join(folder, name)));
  },
);

test('a key that other users can read, or that is not an RSA key of at least 2048 bits, is refused', async () => {
  await signFor();
  chmodSync(keyFile, 0o640);
  expect(await refusal()).toBe(signingPhrases.keyExposed(keyFile));
  chmodSync(keyFile, 0o600);
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  for (const pem of [...[short, curve].map((key) => key.export({ type: 'pkcs8', format: 'pem' })), 'key']) {
    writeFileSync(keyFile, pem);
    expect(await refusal()).toBe(signingPhrases.keyUnfit(keyFile));
  }
});

test.each(['http://pass.example.ru', 'https://[2001:db8::1]'])(
  'the console URL %s is refused, and no key is made',
  async (url) => {
    await expect(signFor(url)).rejects.toThrow(signingPhrases.httpsOnly(url));
    expect(readdirSync(root).toSorted()).toEqual(['chromium.zip', 'firefox.zip']);
  },
);

test('a missing or damaged unsigned build is refused, and no key is made', async () => {
  writeFileSync(zips.firefox, 'PK');
  await expect(signFor()).rejects.toThrow(signingPhrases.noBuild(zips.firefox));
  rmSync(zips.chromium);
  await expect(signFor()).rejects.toThrow(signingPhrases.noBuild(zips.chromium));
  expect(readdirSync(root)).toEqual(['firefox.zip']);
});
