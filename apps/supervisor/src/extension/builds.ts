import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileActions } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';

interface Manifest {
  readonly version: string;
  readonly key?: string;
  readonly browser_specific_settings?: { readonly gecko: { readonly id?: string } };
}

/** The signed builds in a folder, as the console serves them. The file `builds.json` holds these fields for the api. */
export interface SignedBuilds {
  readonly version: string;
  /** The ids by which policies of the browsers name the extension. */
  readonly chromiumId: string;
  readonly firefoxId: string;
  /** The URL below which browsers download the files. */
  readonly base: string;
}

/** An archive with its manifest. */
interface Build {
  readonly archive: Uint8Array;
  readonly files: Record<string, Uint8Array>;
  readonly manifest: Manifest;
}

/** @throws StartError with the given refusal when the file is absent or damaged */
export function readBuild(
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
export function withManifest({ files, manifest }: Build, changes: object): Uint8Array {
  const text = strToU8(json({ ...manifest, ...changes }));
  return zipSync({ ...files, 'manifest.json': text }, { level: 9, mtime: new Date(1980, 0, 1) });
}

/** The id by which Firefox knows a build. */
export const geckoId = ({ manifest }: Build) => manifest.browser_specific_settings?.gecko.id;

/** Whether a build holds a signature of Mozilla, which only Firefox verifies. */
export const isMozillaSigned = ({ files }: Build) => files['META-INF/mozilla.rsa'] !== undefined;

/** The list from which Firefox learns of an update: https://extensionworkshop.com/documentation/manage/updating-your-extension/ */
export function firefoxUpdates({ version, firefoxId, base }: SignedBuilds, xpi: Uint8Array): string {
  const update_hash = `sha256:${createHash('sha256').update(xpi).digest('hex')}`;
  const updates = [{ version, update_link: `${base}propusk.xpi`, update_hash }];
  return json({ addons: { [firefoxId]: { updates } } });
}

/** The text of a JSON file in the folder of the signed builds. */
export const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** Replaces each file atomically. The api runs as another user and reads the files. */
export function publish(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
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
