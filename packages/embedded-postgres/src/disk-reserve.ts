import { access, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { databasePhrases } from '@propusk/phrases/launcher';

const MIB = 1024 * 1024;
/** Several WAL segments of 16 MiB, and the table pages of some thousand removals. */
export const RESERVE_BYTES = 64 * MIB;
/** The reserve is released below this free space: one WAL segment, without which PostgreSQL stops. */
export const SHORT_BYTES = 16 * MIB;
const LOOK_MS = 250;

/** A file that reserves space on the database's disk. It exists while the disk has room. */
export interface Reserve {
  readonly file: string;
  close(): Promise<void>;
}

/**
 * Keeps a file of 64 MiB beside the cluster, deletes it when the disk is full, and makes it again when there is room for it.
 * Resolves when a full disk has its room, so that a database that stopped there can start; a new file is filled meanwhile.
 * @param home the folder of the cluster; its filesystem is watched
 * @param say receives the line for the operator when the reserve is released
 */
export async function keepReserve(home: string, say: (line: string) => void): Promise<Reserve> {
  const file = join(home, 'disk.reserve');
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let held = await isWhole(file);
  // Remove an unfinished reserve file that a crash left.
  await rm(draftOf(file), { force: true });
  await release();
  let looking = look().then(schedule);
  return {
    file,
    async close() {
      closed = true;
      clearTimeout(timer);
      await looking;
    },
  };

  function schedule(): void {
    if (closed) return;
    timer = setTimeout(() => {
      looking = look().then(schedule);
    }, LOOK_MS).unref();
  }

  async function look(): Promise<void> {
    try {
      await release();
      if (held || (await freeBytes(home)) < RESERVE_BYTES + 2 * SHORT_BYTES) return;
      await fill(file, () => closed);
      held = true;
    } catch {
      // The disk filled up meanwhile, or the folder is gone: the next check tries again.
    }
  }

  async function release(): Promise<void> {
    if (!held || (await freeBytes(home)) >= SHORT_BYTES) return;
    await rm(file, { force: true });
    held = false;
    say(databasePhrases.reserveReleased());
  }
}

/**
 * Watches whether the reserve is released, so that the api stops adding rows.
 * @param file of the reserve; undefined for an external database, whose disk is unknown
 */
export function watchReserve(file: string | undefined): { readonly isShort: () => boolean; close(): void } {
  if (file === undefined) return { isShort: () => false, close: () => {} };
  let short = false;
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    // A draft means that the disk has room: the reserve is being filled.
    short = !((await isWhole(file)) || (await exists(draftOf(file))) || (await isWhole(file)));
    looking = false;
  }, LOOK_MS).unref();
  return { isShort: () => short, close: () => clearInterval(timer) };
}

async function isWhole(file: string): Promise<boolean> {
  return stat(file).then(
    ({ size }) => size === RESERVE_BYTES,
    () => false,
  );
}

const draftOf = (file: string) => `${file}.part`;

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Node has no fallocate. The bytes are random: some filesystems do not store zeros. */
async function fill(file: string, isClosed: () => boolean): Promise<void> {
  const draft = draftOf(file);
  try {
    await using handle = await open(draft, 'w', 0o600);
    const piece = Buffer.alloc(MIB);
    for (let written = 0; written < RESERVE_BYTES; written += MIB) {
      if (isClosed()) throw new Error('closed');
      crypto.getRandomValues(piece.subarray(0, 65_536));
      for (let at = 65_536; at < MIB; at += 65_536) piece.copyWithin(at, 0, 65_536);
      await handle.writeFile(piece);
    }
    await handle.close();
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
