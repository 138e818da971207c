import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backupPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';

const mark = (dataDir: string) => join(dataDir, 'restore.unfinished');

/** Marks a data folder whose restore is unfinished: the product must not start there. */
export function markUnfinished(dataDir: string): void {
  for (const path of [mark(dataDir), dataDir]) {
    const file = openSync(path, path === dataDir ? 'r' : 'wx', 0o600);
    fsyncSync(file);
    closeSync(file);
  }
}

/** Removes the mark after a finished restore. */
export function markFinished(dataDir: string): void {
  rmSync(mark(dataDir));
}

/** @throws StartError when the folder has the mark of an unfinished restore */
export function refuseUnfinished(dataDir: string): void {
  if (!existsSync(mark(dataDir))) return;
  throw new StartError(backupPhrases.restoreInterrupted(dataDir));
}
