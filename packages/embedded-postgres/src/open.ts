import { fileActions } from '@propusk/phrases/launcher';
import { startErrorFrom } from '@propusk/processes/start-error';
import { findBinaries } from './binaries.ts';
import { ensureCluster } from './cluster.ts';
import { holdsLock, lockDataDir } from './data-dir-lock.ts';
import { keepReserve } from './disk-reserve.ts';
import { explainFailure } from './explain-failure.ts';
import { findPlace } from './location.ts';
import { urlOf, waitUntilReady } from './readiness.ts';
import { type Exit, startServer } from './server.ts';
import { openLog } from './server-log.ts';
import { writeSettings } from './settings.ts';
import { findSocketDir } from './socket-dir.ts';
import { stopLeftovers } from './stale-server.ts';

/** A running embedded database. */
export interface EmbeddedDatabase {
  /** For node-postgres: the role and the database `propusk` over a unix socket. */
  url: string;
  /** The file that exists while the disk has room (`disk-reserve.ts`). */
  reserveFile: string;
  /** Ends the server (a fast shutdown, harder after 8 s) and resolves when no process is left. May be called again. */
  close(): Promise<void>;
  /**
   * Resolves when the server ends, also after close(); never rejects. After a crash, a caller who holds the folder's lock
   * may open again without close(), and gets the same url.
   */
  exited: Promise<Exit>;
}

/**
 * Starts the PostgreSQL that comes with the package on a data folder, and makes its cluster at the first start. Resolves
 * when it answers a query. It ends with this process, however that ends: call from the main thread.
 *
 * Takes the folder's lock (see lockDataDir) unless this process holds it already, and then gives it back at close().
 *
 * @param options dataDir: DATA_DIR; onProgress: receives lines for the operator about slow steps and moved folders
 * @throws StartError with one line for the operator; no process is left then, and no data has been changed
 */
export async function openEmbedded(options: {
  dataDir: string;
  onProgress?: (line: string) => void;
}): Promise<EmbeddedDatabase> {
  const say = options.onProgress ?? (() => undefined);
  const opened = new AsyncDisposableStack();
  const lock = async (folder: string) => {
    if (!holdsLock(folder)) opened.defer((await lockDataDir(folder)).release);
  };
  try {
    await lock(options.dataDir);
    const place = await findPlace(options.dataDir, say);
    // A copy of the data folder may name the same home.
    await lock(place.home);
    const native = await findBinaries(place.user, place.base, say);
    const log = openLog(place.base);
    opened.defer(log.close);

    // Before any write: this frees room on a full disk.
    const reserve = await keepReserve(place.home, say);
    opened.defer(reserve.close);
    const isAlone = await stopLeftovers(place);
    await ensureCluster(place, native, log, say);
    const socketDir = await findSocketDir(place);
    opened.defer(socketDir.remove);
    if (isAlone) await socketDir.clear();
    await writeSettings(place, socketDir.path);

    const server = await startServer(place, native, log);
    opened.defer(server.stop);
    const early = server.exited.then(() => Promise.reject(explainFailure(log.tail(), place)));
    // Once the server is ready, no code awaits this promise: its rejection must not count as unhandled.
    early.catch(() => undefined);
    await waitUntilReady(socketDir.path, early, (answer) => explainFailure(answer, place), say);

    // A supervisor may open again after a crash without close(), and then gets the same url.
    void server.exited.then(log.close);
    void server.exited.then(reserve.close);

    let closing: Promise<void> | undefined;
    const close = () => (closing ??= opened.disposeAsync());
    return { url: urlOf(socketDir.path), reserveFile: reserve.file, exited: server.exited, close };
  } catch (error) {
    await opened.disposeAsync();
    throw startErrorFrom(error, fileActions.startPostgres());
  }
}
