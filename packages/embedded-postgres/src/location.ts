import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databasePhrases, fileActions } from '@propusk/phrases/launcher';
import { canEnter, type DbUser, isRoot, nobodyId, otherUser, ourselves } from './as-user.ts';
import { findMoved, makeHome } from './relocated-home.ts';
import { StartError, startErrorFrom } from './start-error.ts';

/** The folder of the database and the user that it runs as. */
export interface Place {
  /** DATA_DIR, real and absolute. */
  readonly base: string;
  /** The folder with the cluster and its settings: DATA_DIR, or one under /var/lib/propusk. */
  readonly home: string;
  /** PostgreSQL's data directory. */
  readonly cluster: string;
  readonly user: DbUser;
}

/**
 * Chooses the location of a data folder's database. For an ordinary user it is the folder itself. For root the database runs as
 * `nobody` (or as the owner of the cluster), and its location is /var/lib/propusk when that user cannot enter the folder. The
 * folder's mode never becomes more permissive, because it holds the keys.
 * @param say receives the path of the database when it is not in DATA_DIR
 * @throws StartError when the cluster belongs to another user or cannot be reached
 */
export async function findPlace(dataDir: string, say: (line: string) => void): Promise<Place> {
  const base = await realpath(dataDir);
  const at = (home: string, user: DbUser): Place => ({ base, home, cluster: join(home, 'postgres'), user });
  const inPlace = await ownerOf(join(base, 'postgres'));
  const moved = await findMoved(base);

  if (!isRoot()) {
    const user = ourselves();
    if (moved) throw new StartError(databasePhrases.otherOwner(moved.home, 'root', user.name));
    if (inPlace && inPlace.uid !== user.uid)
      throw new StartError(
        databasePhrases.otherOwner(
          join(base, 'postgres'),
          databasePhrases.ownerNumber(inPlace.uid),
          user.name,
        ),
      );
    return at(base, user);
  }

  if (moved) {
    const owner = await ownerOf(join(moved.home, 'postgres'));
    if (!owner && moved.created)
      throw new StartError(databasePhrases.databaseLost(base, moved.home, join(base, 'postgres.location')));
    const user = await otherUser(owner?.uid ?? nobodyId, owner?.gid ?? nobodyId);
    if (!(await canEnter(user, moved.home)))
      throw new StartError(databasePhrases.unreachableFolder(moved.home, user.name));
    say(databasePhrases.databaseIn(moved.home));
    return at(moved.home, user);
  }

  if (inPlace) {
    const cluster = join(base, 'postgres');
    if (inPlace.uid === 0) throw new StartError(databasePhrases.ownedByRoot(cluster, nobodyId));
    const user = await otherUser(inPlace.uid, inPlace.gid);
    if (!(await canEnter(user, cluster)))
      throw new StartError(databasePhrases.unreachableFolder(cluster, user.name));
    return at(base, user);
  }

  const user = await otherUser(nobodyId, nobodyId);
  if (await canEnter(user, base)) return at(base, user);
  const home = await makeHome(base, user);
  say(databasePhrases.databaseMoves(user.name, base, home));
  return at(home, user);
}

/** The owner of a folder; undefined when the folder is absent or empty, so that we may create it. */
async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const found = await stat(folder);
    if (!found.isDirectory()) throw new StartError(databasePhrases.fileInPlace(folder));
    // Another user's folder may be unreadable. That is no error here, since only its owner matters.
    const names = await readdir(folder).catch(() => undefined);
    if (names?.length === 0) return undefined;
    return { uid: found.uid, gid: found.gid };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw startErrorFrom(error, fileActions.read(folder));
  }
}
