import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileActions, signingPhrases } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';
import {
  firefoxUpdates,
  geckoId,
  isMozillaSigned,
  json,
  publish,
  readBuild,
  type SignedBuilds,
  withManifest,
} from './builds.ts';
import { archiveOf, extensionId, packCrx, publicKeyOf } from './crx.ts';
import { makeKey, readKey } from './signing-key.ts';

/**
 * Writes `propusk.crx`, `propusk.xpi`, their archives `propusk-chromium.zip` and `propusk-firefox.zip`, `updates.xml`, `updates.json` and
 * `builds.json` for the browsers of one organisation. The same inputs give the same bytes. Makes the key when neither the key nor
 * earlier builds exist. The Firefox id holds the domain of the first signing. A .xpi of this version that Mozilla signed stays.
 * @param consoleUrl the URL of the console, whose /downloads/ serves the folder
 * @param keyFile the private key (PEM)
 * @param zips paths of the unsigned builds
 * @returns also whether a .xpi that Mozilla signed was replaced by an unsigned one of a higher version
 * @throws StartError, before any file changes, when the URL is not https, a build is missing, the builds in the folder have a higher
 *   version or another key, or the key file is unfit
 */
export async function signExtension({
  consoleUrl,
  keyFile,
  zips,
  folder,
}: {
  consoleUrl: URL;
  keyFile: string;
  zips: { readonly chromium: string; readonly firefox: string };
  folder: string;
}): Promise<SignedBuilds & { readonly replacesMozilla: boolean }> {
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
  if (former !== null && isLower(version, former.manifest.version))
    throw new StartError(signingPhrases.lowerVersion(version, former.manifest.version, folder));
  const key = await keyFor(keyFile, former?.manifest.key, folder);
  const publicKey = publicKeyOf(key);
  const chromiumId = extensionId(publicKey);
  // Policies and installed builds name the first id, also after the console has moved.
  const firefoxId = (formerXpi && geckoId(formerXpi)) ?? `propusk@${consoleUrl.hostname}`;
  const archive = withManifest(chromium, {
    key: publicKey.toString('base64'),
    update_url: `${base}updates.xml`,
  });
  const { gecko } = firefox.manifest.browser_specific_settings ?? {};
  const unsigned = withManifest(firefox, {
    browser_specific_settings: { gecko: { ...gecko, id: firefoxId, update_url: `${base}updates.json` } },
  });
  const ofMozilla = formerXpi !== null && isMozillaSigned(formerXpi);
  const isKept = ofMozilla && formerXpi.manifest.version === version;
  const xpi = isKept ? formerXpi.archive : unsigned;
  const built = { version, chromiumId, firefoxId, base };
  // The lists come last, so that they never name a build that is not there yet.
  publish(folder, {
    'propusk-chromium.zip': archive,
    'propusk-firefox.zip': unsigned,
    'propusk.crx': packCrx(archive, key),
    'propusk.xpi': xpi,
    'updates.xml': chromiumUpdates(chromiumId, version, `${base}propusk.crx`),
    'updates.json': firefoxUpdates(built, xpi),
    'builds.json': json(built),
  });
  return { ...built, replacesMozilla: ofMozilla && !isKept };
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
