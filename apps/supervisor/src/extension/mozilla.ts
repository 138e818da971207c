import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signingPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { firefoxUpdates, geckoId, isMozillaSigned, publish, readBuild, type SignedBuilds } from './builds.ts';

/**
 * Publishes a .xpi that Mozilla signed in place of the Firefox build in the folder. Firefox verifies the signature.
 * @throws StartError, before any file changes, when the folder has no builds, or the file has no signature of Mozilla, another id or
 *   another version than they
 */
export function publishMozilla(file: string, folder: string): SignedBuilds {
  const list = join(folder, 'builds.json');
  if (!existsSync(list)) throw new StartError(signingPhrases.signFirst());
  const built: SignedBuilds = JSON.parse(readFileSync(list, 'utf8'));
  const signed = readBuild(file, signingPhrases.noXpi);
  if (!isMozillaSigned(signed)) throw new StartError(signingPhrases.notOfMozilla(file));
  const [id, { version }] = [geckoId(signed), signed.manifest];
  if (id !== built.firefoxId || version !== built.version)
    throw new StartError(signingPhrases.otherXpi(file, `${id} ${version}`, built));
  publish(folder, { 'propusk.xpi': signed.archive, 'updates.json': firefoxUpdates(built, signed.archive) });
  return built;
}
