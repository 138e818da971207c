import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { packagePhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { billOf, type Lock } from '../supply-chain.ts';
import { missingContacts } from './contacts.ts';

const run = promisify(execFile);

/** A key of the keyring that signs releases. */
export interface Signer {
  readonly fingerprint: string;
  /** When the newest of its subkeys was made, in seconds since 1970. */
  readonly created: number;
}

export interface Release {
  /** Paths of the packages. */
  readonly packages: readonly string[];
  readonly lock: Lock;
  readonly notes: string;
  readonly signer: Signer | undefined;
  /** The time of the signature, since 1970. */
  readonly seconds: number;
}

/** The section of a version in a changelog, with its heading; '' when there is none or it is empty. */
export function notesOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const found = sections.find((section) => section.split(/\s+/, 2)[1] === version)?.trim() ?? '';
  return found.includes('\n') ? `${found}\n` : '';
}

/** The reasons why the tree must not be released, one sentence each. @param status what `git status --porcelain` prints */
export function refusalsOf(status: string, changelog: string, version: string): string[] {
  const notes = notesOf(changelog, version);
  const contacts = missingContacts();
  return [
    ...(status === '' ? [] : [packagePhrases.dirty(status)]),
    ...(notes === '' ? [packagePhrases.noNotes(version)] : []),
    ...(/^.*unreleased/i.test(notes) ? [packagePhrases.unreleased(version)] : []),
    ...(contacts.length === 0 ? [] : [packagePhrases.noContacts(contacts)]),
  ];
}

/**
 * Finds a signing key. Makes a test signature, so that gpg asks for the passphrase now, and an expired key fails now.
 * @param key a fingerprint, an id or an address
 * @throws StartError with the output of gpg
 */
export async function signerOf(key: string): Promise<Signer> {
  const listed = await gpg('--list-secret-keys', '--with-colons', '--', key);
  const fingerprint = /^fpr:+(\w+):/m.exec(listed)?.[1] ?? key;
  await gpg('--local-user', fingerprint, '--output', '/dev/null', '--detach-sign', '/dev/null');
  const times = listed.matchAll(/^(?:sec|ssb):(?:[^:]*:){4}(\d+)/gm);
  return { fingerprint, created: Math.max(...Array.from(times, ([, time]) => Number(time))) };
}

/**
 * Writes the packages, `sbom.json`, `NOTES.md`, `SHA256SUMS` and, with a signer, `SHA256SUMS.asc` and its public key `propusk.gpg`.
 * @param folder replaced as a whole, once all files are there
 * @throws StartError when gpg fails
 */
export async function writeRelease(
  folder: string,
  { packages, lock, notes, signer, seconds }: Release,
): Promise<void> {
  const made = `${folder}.new`;
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  for (const path of packages) await copyFile(path, join(made, basename(path)));
  await writeFile(join(made, 'sbom.json'), `${JSON.stringify(billOf(lock), null, 2)}\n`);
  await writeFile(join(made, 'NOTES.md'), notes);
  if (signer !== undefined)
    await gpg(
      '--output',
      join(made, 'propusk.gpg'),
      '--export-options',
      'export-minimal',
      '--export',
      signer.fingerprint,
    );
  const sums = join(made, 'SHA256SUMS');
  const lines = (await readdir(made)).toSorted().map(async (name) => {
    const sum = createHash('sha256').update(await readFile(join(made, name)));
    return `${sum.digest('hex')}  ${name}\n`;
  });
  await writeFile(sums, (await Promise.all(lines)).join(''));
  if (signer !== undefined) {
    // gpg writes the given time into the signature, and gpgv refuses a signature that is older than its key.
    const time = `${Math.max(seconds, signer.created)}!`;
    const args = ['--local-user', signer.fingerprint, '--faked-system-time', time, '--armor'];
    await gpg(...args, '--output', `${sums}.asc`, '--detach-sign', sums);
  }
  await rm(folder, { recursive: true, force: true });
  await rename(made, folder);
}

async function gpg(...args: string[]): Promise<string> {
  const { stdout } = await run('gpg', ['--batch', '--yes', ...args]).catch((error) => {
    throw new StartError(
      error.code === 'ENOENT' ? packagePhrases.noGpg() : packagePhrases.notSigned(String(error.stderr)),
    );
  });
  return stdout;
}
