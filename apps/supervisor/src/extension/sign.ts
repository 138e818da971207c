import { createHash, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileActions, signingPhrases } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { archiveOf, extensionId, packCrx, publicKeyOf } from './crx.ts';
import { makeKey, readKey } from './signing-key.ts';

interface Manifest {
  readonly version: string;
  readonly key?: string;
  readonly browser_specific_settings?: { readonly gecko: { readonly id?: string } };
}

/** The signed builds in a folder, as the console serves them. The file `builds.json` holds these fields for the api. */
interface SignedBuilds {
  /** The version of the Chromium build and of both zips. A .xpi that Mozilla signed may have a lower one. */
  readonly version: string;
  /** The ids by which policies of the browsers name the extension. */
  readonly chromiumId: string;
  readonly firefoxId: string;
  /** The URL below which browsers download the files. */
  readonly base: string;
  /** Whether Mozilla signed `propusk.xpi`. */
  readonly mozilla: boolean;
}

/** @property xpiVersion the version of `propusk.xpi` */
export interface PublishedBuilds extends SignedBuilds {
  readonly xpiVersion: string;
}

/** An archive with its manifest. */
interface Build {
  readonly archive: Uint8Array;
  readonly files: Record<string, Uint8Array>;
  readonly manifest: Manifest;
}

/**
 * Writes `propusk.crx`, `propusk.xpi`, their archives `propusk-chromium.zip` and `propusk-firefox.zip`, `updates.xml`, `updates.json` and
 * `builds.json` for the browsers of one organisation. Equal inputs produce equal bytes. Makes the key when neither the key nor earlier
 * builds exist. A .xpi that Mozilla signed stays, with its version, until `publishMozilla` replaces it.
 * @param consoleUrl the URL of the console, whose /downloads/ serves the folder
 * @param keyFile the private key (PEM)
 * @param zips paths of the unsigned builds
 * @param firefoxId the id for Firefox if the folder has no .xpi; by default an id with the domain of the console
 * @throws StartError, before any file changes, when the URL is not https, a build is missing, the builds in the folder have a higher
 *   version or another key, or the key file is unfit
 */
export async function signExtension({
  consoleUrl,
  keyFile,
  zips,
  folder,
  firefoxId: keptId,
}: {
  consoleUrl: URL;
  keyFile: string;
  zips: { readonly chromium: string; readonly firefox: string };
  folder: string;
  firefoxId?: string | undefined;
}): Promise<PublishedBuilds> {
  // Firefox accepts only letters, digits, dots, hyphens and underscores in an id.
  if (consoleUrl.protocol !== 'https:' || !/^[\w.-]+$/.test(consoleUrl.hostname))
    throw new StartError(signingPhrases.httpsOnly(consoleUrl.origin));
  const base = `${consoleUrl.origin}/downloads/`;
  const chromium = readBuild(zips.chromium, signingPhrases.noBuild);
  const firefox = readBuild(zips.firefox, signingPhrases.noBuild);
  const crxFile = join(folder, 'propusk.crx');
  const former = existsSync(crxFile) ? readBuild(crxFile, signingPhrases.damaged, archiveOf) : null;
  const xpiFile = join(folder, 'propusk.xpi');
  const formerXpi = existsSync(xpiFile) ? readBuild(xpiFile, signingPhrases.damaged) : null;
  const { version } = chromium.manifest;
  for (const earlier of [former, formerXpi]) {
    if (earlier !== null && isLower(version, earlier.manifest.version))
      throw new StartError(signingPhrases.lowerVersion(version, earlier.manifest.version, folder));
  }
  const key = await keyFor(keyFile, former?.manifest.key, folder);
  const publicKey = publicKeyOf(key);
  const chromiumId = extensionId(publicKey);
  // Policies and installed builds name the first id, also after the console has moved.
  const firefoxId = (formerXpi && geckoId(formerXpi)) ?? keptId ?? `propusk@${consoleUrl.hostname}`;
  const archive = withManifest(chromium, {
    key: publicKey.toString('base64'),
    update_url: `${base}updates.xml`,
  });
  const { gecko } = firefox.manifest.browser_specific_settings ?? {};
  const unsigned = withManifest(firefox, {
    browser_specific_settings: { gecko: { ...gecko, id: firefoxId, update_url: `${base}updates.json` } },
  });
  const kept = formerXpi !== null && isMozillaSigned(formerXpi) ? formerXpi : null;
  const xpi = kept?.archive ?? unsigned;
  const xpiVersion = kept?.manifest.version ?? version;
  const built = { version, chromiumId, firefoxId, base, mozilla: kept !== null };
  // The lists come last, so that they never name a build that is not there yet.
  publish(folder, {
    'propusk-chromium.zip': archive,
    'propusk-firefox.zip': unsigned,
    'propusk.crx': packCrx(archive, key),
    'propusk.xpi': xpi,
    'updates.xml': chromiumUpdates(chromiumId, version, `${base}propusk.crx`),
    'updates.json': firefoxUpdates({ ...built, version: xpiVersion }, xpi),
    'builds.json': json(built),
  });
  return { ...built, xpiVersion };
}

/**
 * Replaces the published .xpi by a .xpi that Mozilla signed. Firefox verifies the signature. `signExtension` keeps the version of
 * `propusk-firefox.zip` at or above that of the published .xpi, so the required version is never a downgrade.
 * @throws StartError, before any file changes, when the folder has no builds, the file has no Mozilla signature, or its id or version
 *   differs from that of `propusk-firefox.zip`
 */
export function publishMozilla(file: string, folder: string): PublishedBuilds {
  const list = join(folder, 'builds.json');
  if (!existsSync(list)) throw new StartError(signingPhrases.signFirst());
  const built: SignedBuilds = JSON.parse(readFileSync(list, 'utf8'));
  const signed = readBuild(file, signingPhrases.noXpi);
  if (!isMozillaSigned(signed)) throw new StartError(signingPhrases.noXpi(file));
  const [id, { version }] = [geckoId(signed), signed.manifest];
  if (id !== built.firefoxId || version !== built.version)
    throw new StartError(signingPhrases.otherXpi(file, `${id} ${version}`, built));
  publish(folder, {
    'propusk.xpi': signed.archive,
    'updates.json': firefoxUpdates(built, signed.archive),
    'builds.json': json({ ...built, mozilla: true }),
  });
  return { ...built, xpiVersion: version };
}

/** The key of the published builds, or a new key if there are none. Browsers refuse an update that another key signed. */
async function keyFor(keyFile: string, former: string | undefined, folder: string): Promise<KeyObject> {
  try {
    if (former === undefined && !existsSync(keyFile)) await makeKey(keyFile);
    const key = readKey(keyFile);
    if (key !== null && (former === undefined || former === publicKeyOf(key).toString('base64'))) return key;
  } catch (error) {
    throw startErrorFrom(error, fileActions.read(keyFile));
  }
  throw new StartError(signingPhrases.otherKey(keyFile, folder));
}

/** @throws StartError with the given refusal when the file is absent or damaged */
function readBuild(
  path: string,
  refusal: (path: string) => string,
  archiveIn = (file: Buffer) => file,
): Build {
  try {
    const archive = archiveIn(readFileSync(path));
    const files = unzipSync(archive);
    return { archive, files, manifest: JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array())) };
  } catch (error) {
    throw new StartError(refusal(path), { cause: error });
  }
}

/** The archive of a build with changed fields of the manifest. Its time is fixed, so that equal builds have equal bytes. */
function withManifest({ files, manifest }: Build, changes: object): Uint8Array {
  const text = strToU8(json({ ...manifest, ...changes }));
  return zipSync({ ...files, 'manifest.json': text }, { level: 9, mtime: new Date(1980, 0, 1) });
}

/** The id by which Firefox knows a build. */
const geckoId = ({ manifest }: Build) => manifest.browser_specific_settings?.gecko.id;

/** Whether a build contains a Mozilla signature, which only Firefox verifies. */
const isMozillaSigned = ({ files }: Build) => files['META-INF/mozilla.rsa'] !== undefined;

/** The list from which Firefox learns of an update: https://extensionworkshop.com/documentation/manage/updating-your-extension/ */
function firefoxUpdates({ version, firefoxId, base }: SignedBuilds, xpi: Uint8Array): string {
  const update_hash = `sha256:${createHash('sha256').update(xpi).digest('hex')}`;
  const updates = [{ version, update_link: `${base}propusk.xpi`, update_hash }];
  return json({ addons: { [firefoxId]: { updates } } });
}

/** The text of a JSON file in the folder of the signed builds. */
const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const isLower = (version: string, than: string) => version.localeCompare(than, 'en', { numeric: true }) < 0;

/** The reply of Chromium's update protocol: https://developer.chrome.com/docs/extensions/how-to/distribute/host-on-linux */
const chromiumUpdates = (
  id: string,
  version: string,
  codebase: string,
) => `<?xml version="1.0" encoding="UTF-8"?>
<gupdate xmlns="http://www.google.com/update2/response" protocol="2.0">
  <app appid="${id}">
    <updatecheck codebase="${codebase}" version="${version}"/>
  </app>
</gupdate>
`;

/** Replaces each file atomically. The api runs as another user and reads the files. */
function publish(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  try {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    for (const [name, content] of Object.entries(files)) {
      const draft = join(folder, `.${name}`);
      writeFileSync(draft, content, { flush: true });
      chmodSync(draft, 0o644);
      renameSync(draft, join(folder, name));
    }
  } catch (error) {
    throw startErrorFrom(error, fileActions.write(folder));
  }
}
