import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileActions } from '@propusk/phrases/launcher';
import { startErrorFrom } from '@propusk/processes/start-error';

const limitBytes = 8 * 1024 * 1024;
const checkEveryMs = 60_000;
const tailBytes = 16 * 1024;

/** The log file with all output of the database's programs. */
export interface ServerLog {
  readonly file: string;
  /** For a child's stdout and stderr. */
  readonly fd: number;
  /** Appends text to the log. Never throws. */
  write(text: string): void;
  /** The output since the log was opened, at most the last 16 KB. */
  tail(): string;
  /** Closes the log. May be called again. */
  close(): void;
}

/**
 * Opens DATA_DIR/postgres.log for appending, 0600. Past 8 MB, at the start and each minute, its contents become
 * postgres.log.1 and it begins again, so the two never hold more than about 16 MB.
 * @throws StartError when it cannot be written
 */
export function openLog(base: string): ServerLog {
  const file = join(base, 'postgres.log');
  let fd: number;
  try {
    // With O_APPEND the child, too, writes at the new end after the file was truncated.
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
    fd = openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  } catch (error) {
    throw startErrorFrom(error, fileActions.openLog(file));
  }
  const rotate = () => {
    if (fstatSync(fd).size < limitBytes) return;
    try {
      copyFileSync(file, `${file}.1`);
    } catch {
      // A full disk is the likely cause, and a good reason to cut the log all the same.
    }
    ftruncateSync(fd, 0);
  };
  rotate();
  const from = fstatSync(fd).size;
  const timer = setInterval(rotate, checkEveryMs).unref();
  let open = true;
  return {
    file,
    fd,
    write(text) {
      try {
        writeSync(fd, text);
      } catch {
        // On a full disk the StartError still shows the reason to the operator.
      }
    },
    tail() {
      const { size } = fstatSync(fd);
      const start = Math.max(size < from ? 0 : from, size - tailBytes);
      const buffer = Buffer.alloc(Math.max(0, size - start));
      return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, start));
    },
    close() {
      if (!open) return;
      open = false;
      clearInterval(timer);
      closeSync(fd);
    },
  };
}
