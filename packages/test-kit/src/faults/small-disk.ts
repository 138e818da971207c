import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A small disk in memory. */
export interface SmallDisk {
  /** Takes the last byte. */
  fill(): void;
  makeRoom(): void;
  unmount(): void;
}

/** Mounts a disk over a folder; needs root. @param size such as `32m` */
export function mountSmallDisk(folder: string, size: string): SmallDisk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0711`, 'tmpfs', folder]);
  const path = join(folder, 'filler');
  return {
    fill() {
      const filler = openSync(path, 'a');
      // Fill the disk with large pieces first, then with single bytes.
      for (const piece of [1 << 20, 4096, 1]) for (; append(filler, piece); );
      closeSync(filler);
    },
    makeRoom: () => rmSync(path),
    unmount: () => void execFileSync('umount', [folder]),
  };
}

/** @returns whether the disk had room for the bytes */
function append(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) === bytes;
  } catch {
    return false;
  }
}
