import { chown, lstat, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileActions } from '@propusk/phrases/launcher';
import { startErrorFrom } from '@propusk/processes/start-error';
import type { Place } from './location.ts';

/** sockaddr_un holds 108 bytes, the last of them zero. */
const longestPath = 107;
const socketName = '.s.PGSQL.5432';
const shortName = /^\/tmp\/propusk-\w{6}$/;

/** A folder for the socket. `remove` deletes it if it was made for the socket. */
export interface SocketDir {
  readonly path: string;
  /**
   * Removes the socket and the lock of a killed server. The lock holds a pid: if another process or a zombie has it now,
   * PostgreSQL does not start. Call it only when no server runs there.
   */
  clear(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * The folder of the socket: the cluster itself, which has mode 0700. If its path is too long for a socket, a folder of mode 0700
 * in /tmp with a random name, so that no other user can have created it. The home records the folder, so that a start after a kill
 * uses it again.
 * @throws StartError when /tmp cannot be written
 */
export async function findSocketDir(place: Place): Promise<SocketDir> {
  const near = await socketOf(place.cluster, async () => '');
  if (near !== '') return { path: near, clear: () => clear(near), remove: async () => undefined };
  const record = join(place.home, 'postgres.socket');
  const path = (await recorded(record, place.user.uid)) ?? (await make(record, place));
  return {
    path,
    clear: () => clear(path),
    async remove() {
      await clear(path);
      await rmdir(path).catch(() => undefined);
      await rm(record, { force: true });
    },
  };
}

async function clear(path: string): Promise<void> {
  for (const name of [socketName, `${socketName}.lock`]) await rm(join(path, name), { force: true });
}

/** The folder of a cluster's socket: the cluster itself, or the result of `far` when its path is too long. */
export async function socketOf(cluster: string, far: () => Promise<string>): Promise<string> {
  return Buffer.byteLength(join(cluster, socketName)) <= longestPath ? cluster : far();
}

/** /tmp is sticky: a folder there with the right owner and mode was created by that owner, or by root. */
async function recorded(record: string, uid: number): Promise<string | undefined> {
  const path = await readFile(record, 'utf8').catch(() => '');
  if (!shortName.test(path)) return undefined;
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() && found.uid === uid && (found.mode & 0o777) === 0o700 ? path : undefined;
}

async function make(record: string, place: Place): Promise<string> {
  try {
    const path = await mkdtemp('/tmp/propusk-');
    await writeFile(record, path, { mode: 0o600 });
    if (place.user.spawnAs.uid !== undefined) await chown(path, place.user.uid, place.user.gid);
    return path;
  } catch (error) {
    throw startErrorFrom(error, fileActions.createSocketFolder());
  }
}
