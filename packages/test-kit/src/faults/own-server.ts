import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDir } from '@propusk/embedded-postgres/data-dir-lock';
import { type EmbeddedDatabase, openEmbedded } from '@propusk/embedded-postgres/open';
import { makeScratch, postmasterOf, removeScratch } from '../embedded/scratch.ts';
import { mountSmallDisk } from './small-disk.ts';

/** An embedded PostgreSQL that a test may kill and freeze. */
export interface OwnServer {
  readonly url: string;
  /** The path of the file that the database keeps as reserved disk space. */
  readonly reserveFile: string;
  /** Kills the server with SIGKILL and starts it again at once, as the supervisor does. */
  crash(): Promise<void>;
  /** Sends SIGSTOP to every process: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
  /** `fill` takes the last byte of its disk; `makeRoom` frees it. */
  fill(): void;
  makeRoom(): void;
  remove(): Promise<void>;
}

/** @param disk the size of its own small disk, such as `32m`; needs root */
export async function startOwnServer({ disk }: { disk?: string } = {}): Promise<OwnServer> {
  const scratch = makeScratch();
  const small = disk === undefined ? undefined : mountSmallDisk(scratch, disk);
  const dataDir = join(scratch, 'data');
  const cluster = join(dataDir, 'postgres');
  // Opening it again after a crash requires the folder's lock.
  const lock = await lockDataDir(dataDir);
  let database: EmbeddedDatabase = await openEmbedded({ dataDir });
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen.splice(0).toReversed()) process.kill(pid, 'SIGCONT');
  };
  return {
    url: database.url,
    reserveFile: database.reserveFile,
    async crash() {
      process.kill(postmasterOf(cluster), 'SIGKILL');
      await database.exited;
      database = await openEmbedded({ dataDir });
    },
    freeze() {
      const postmaster = postmasterOf(cluster);
      process.kill(postmaster, 'SIGSTOP');
      frozen = [postmaster, ...childrenOf(postmaster)];
      for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    },
    thaw,
    fill: () => small?.fill(),
    makeRoom: () => small?.makeRoom(),
    async remove() {
      // After a failed test the server may be frozen, and a frozen server does not stop.
      thaw();
      await database.close();
      await lock.release();
      small?.unmount();
      removeScratch(scratch);
    },
  };
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number);
}
