import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedDatabase, openEmbedded } from '@propusk/embedded-postgres/open';
import { supervisorPhrases } from '@propusk/phrases/launcher';
import { Backoff } from '@propusk/processes/backoff';
import { explain } from './command.ts';

/** The pause before a restart of the database, so that a database that fails at once is not restarted in a busy loop. */
const REOPEN_PAUSE_MS = 500;

/** The embedded database, opened again whenever its server ends. */
export interface SupervisedDatabase {
  readonly url: string;
  readonly reserveFile: string;
  /** Resolves with the error when the database cannot be opened again. */
  readonly failed: Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Opens the embedded database. A server that ends is opened again under the same url, where the api's pool finds it.
 * @throws StartError when the first opening fails
 */
export async function superviseDatabase(
  dataDir: string,
  say: (line: string) => void,
): Promise<SupervisedDatabase> {
  let database = await openEmbedded({ dataDir, onProgress: say });
  const { url, reserveFile } = database;
  const failed = Promise.withResolvers<unknown>();
  let closing = false;
  let reopening: Promise<EmbeddedDatabase> | undefined;
  void watch().catch(failed.resolve);
  return {
    url,
    reserveFile,
    failed: failed.promise,
    async close() {
      closing = true;
      // Wait for a restart in progress, so that the database it opens is closed too.
      await reopening?.catch(() => {});
      await database.close();
    },
  };

  async function watch(): Promise<void> {
    for (;;) {
      await database.exited;
      if (closing) return;
      say(supervisorPhrases.databaseStopped());
      await sleep(REOPEN_PAUSE_MS);
      if (closing) return;
      reopening = reopen();
      database = await reopening;
    }
  }

  /** On a full disk, retries until there is room: the gateways enforce their last snapshot meanwhile. */
  async function reopen(): Promise<EmbeddedDatabase> {
    for (const pauses = new Backoff(1_000, 10_000); ; await sleep(pauses.next())) {
      try {
        return await openEmbedded({ dataDir, onProgress: say });
      } catch (error) {
        if (closing || existsSync(reserveFile)) throw error;
        say(explain(error));
      }
    }
  }
}
