import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { packagePhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { contactOf, withContacts } from './contacts.ts';
import { copy, md5sums, normalise, sizeOf, write } from './files.ts';
import { type Parts, stage } from './stage.ts';

const run = promisify(execFile);

/** Debian's architectures by Node's names. */
export const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export interface Built {
  readonly path: string;
  readonly bytes: number;
  /** Bytes on disk after the installation. */
  readonly unpacked: number;
  readonly sha256: string;
}

/**
 * Builds propusk_VERSION_ARCH.deb. The same sources, dependencies and dpkg give the same bytes.
 * @param parts what goes in
 * @param folder where the staged files stay, below `root`, and the package
 * @param seconds the time of every file, since 1970
 * @throws StartError when dpkg-deb is missing or fails
 */
export async function buildPackage(
  parts: Parts,
  folder: string,
  seconds: number,
  say: (line: string) => void,
): Promise<Built> {
  const arch = architectures[parts.cpu] ?? parts.cpu;
  const root = join(folder, 'root');
  const path = join(folder, `propusk_${parts.version}_${arch}.deb`);
  say(packagePhrases.staging(root));
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  stage(root, parts);
  const unpacked = sizeOf(root);
  const sums = md5sums(root);
  for (const name of ['postinst', 'prerm', 'postrm'])
    copy(`deploy/debian/${name}`, join(root, 'DEBIAN', name));
  write(join(root, 'DEBIAN/md5sums'), sums);
  write(join(root, 'DEBIAN/control'), await control(parts.version, arch, unpacked));
  normalise(root, seconds);
  for (const name of ['postinst', 'prerm', 'postrm']) await chmod(join(root, 'DEBIAN', name), 0o755);
  say(packagePhrases.packing());
  // Fix the number of zstd threads: the compressed output depends on it, and its default is the machine's
  // number of cores.
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds), DPKG_DEB_THREADS_MAX: '1' };
  const args = ['--root-owner-group', '-Zzstd', '-z10', '--build', root, path];
  await run('dpkg-deb', args, { env }).catch((error) => {
    throw new StartError(
      error.code === 'ENOENT' ? packagePhrases.noProgram() : packagePhrases.notPacked(String(error.stderr)),
    );
  });
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { path, bytes: (await stat(path)).size, unpacked, sha256: hash.digest('hex') };
}

async function control(version: string, arch: string, unpacked: number): Promise<string> {
  const template = await readFile('deploy/debian/control', 'utf8');
  return withContacts(template)
    .replace('@VERSION@', version)
    .replace('@ARCH@', arch)
    .replace('@MAINTAINER@', () => contactOf('DEBFULLNAME') ?? 'Propusk')
    .replace('@INSTALLED_SIZE@', String(Math.ceil(unpacked / 1024)));
}
