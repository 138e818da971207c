import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { backupPhrases } from '@propusk/phrases/launcher';

const mark = (dataDir: string) => join(dataDir, 'restore.unfinished');

/** Notes that a restore is at work in a data folder: until it is done, nothing may start there. */
export function markUnfinished(dataDir: string): void {
  for (const path of [mark(dataDir), dataDir]) {
    const file = openSync(path, path === dataDir ? 'r' : 'wx', 0o600);
    fsyncSync(file);
    closeSync(file);
  }
}

/** The restore is done: the folder is a product's. */
export function markFinished(dataDir: string): void {
  rmSync(mark(dataDir));
}

/** @throws StartError when a restore was broken off in the folder */
export function refuseUnfinished(dataDir: string): void {
  if (!existsSync(mark(dataDir))) return;
  throw new StartError(backupPhrases.restoreInterrupted(dataDir));
}
