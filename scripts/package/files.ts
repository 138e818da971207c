import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Copies a file or a folder. @param keep decides by the path of each entry */
export function copy(from: string, to: string, keep: (path: string) => boolean = () => true): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: keep });
}

/** Writes a file, and creates its folder. */
export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Creates a symbolic link and its folder. @param target relative to the link */
export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** The paths of all entries below a folder, sorted, relative to it. Folders come before their entries. */
export function entriesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
}

/**
 * Gives every entry the same mode and time on every machine: folders and programs 0755, other files 0644.
 * @param seconds since 1970
 */
export function normalise(root: string, seconds: number): void {
  // Set the deepest entries first, because a change in a folder would renew the folder's time.
  for (const path of ['.', ...entriesOf(root)].toReversed()) {
    const at = join(root, path);
    const found = lstatSync(at);
    const isProgram = found.isDirectory() || (found.mode & 0o100) !== 0;
    if (!found.isSymbolicLink()) chmodSync(at, isProgram ? 0o755 : 0o644);
    lutimesSync(at, seconds, seconds);
  }
}

/** The text of DEBIAN/md5sums, by which `dpkg --verify` finds changed files. */
export function md5sums(root: string): string {
  const files = entriesOf(root).filter((path) => lstatSync(join(root, path)).isFile());
  const sum = (path: string) =>
    createHash('md5')
      .update(readFileSync(join(root, path)))
      .digest('hex');
  return files.map((path) => `${sum(path)}  ${path}\n`).join('');
}

/** Bytes on disk, in blocks of 4 KiB as Debian counts Installed-Size. */
export function sizeOf(root: string): number {
  return entriesOf(root).reduce((sum, path) => {
    const found = lstatSync(join(root, path));
    return sum + (found.isFile() ? Math.ceil(found.size / 4096) * 4096 : 4096);
  }, 0);
}
