import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Reads a process's resources from Linux's /proc. */

export const MB = 1024 * 1024;

/** Resident memory in bytes. @throws Error ENOENT when the process does not exist */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`Process ${pid} has ended and was not collected yet`);
  return Number(kilobytes) * 1024;
}

/** Number of open files and sockets of a process. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Counts the open files of a process by kind: `socket`, `pipe`, `anon_inode`, or `file`. */
export function openFileKinds(pid: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const kind = kindOfFile(`/proc/${pid}/fd/${name}`);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function kindOfFile(link: string): string {
  try {
    return /^(\w+):/.exec(readlinkSync(link))?.[1] ?? 'file';
  } catch {
    return 'closed meanwhile';
  }
}

export interface Watched {
  /** The maximum of resident memory so far, in bytes. */
  peak(): number;
  /** The maximum of open files and sockets so far. */
  mostFiles(): number;
  /** Milliseconds from the start of the watch to the end of the process; null while it runs. */
  endedAfter(): number | null;
  stop(): void;
}

/** Samples a process until `stop`. @param everyMs interval between samples */
export function watchProcess(pid: number, everyMs = 50): Watched {
  const began = performance.now();
  let [peak, files] = [0, 0];
  let ended: number | null = null;
  const sample = () => {
    try {
      peak = Math.max(peak, residentBytes(pid));
      files = Math.max(files, openFiles(pid));
    } catch {
      ended ??= performance.now() - began;
    }
  };
  sample();
  const timer = setInterval(sample, everyMs);
  return {
    peak: () => peak,
    mostFiles: () => files,
    endedAfter: () => ended,
    stop: () => clearInterval(timer),
  };
}
