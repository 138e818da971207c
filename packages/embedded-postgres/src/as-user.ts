import { spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { databasePhrases } from '@propusk/phrases/launcher';
import { StartError } from './start-error.ts';

/** The operating system's user that the database runs as. */
export interface DbUser {
  readonly uid: number;
  readonly gid: number;
  /** As in /etc/passwd: peer authentication and initdb want a name. */
  readonly name: string;
  /** Options of spawn(); empty when this process is that user. Node clears the supplementary groups when it switches. */
  readonly spawnAs: { uid?: number; gid?: number };
}

/** How a command ended. `code` is null when it could not be run or a signal ended it. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The uid of `nobody`: it owns no files and may enter no private folder. */
export const nobodyId = 65_534;

/** PostgreSQL refuses to run as root, which must start it as another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The user of this process.
 * @throws StartError when the uid has no passwd entry (initdb and peer authentication need one)
 */
export function ourselves(): DbUser {
  const uid = process.getuid?.() ?? -1;
  try {
    return { uid, gid: process.getgid?.() ?? -1, name: userInfo().username, spawnAs: {} };
  } catch (cause) {
    throw namelessUser(uid, cause);
  }
}

/**
 * Another user to run the database as; only root can.
 * @throws StartError when the uid has no passwd entry, or this root may not change users (a rootless container)
 */
export async function otherUser(uid: number, gid: number): Promise<DbUser> {
  const user = { uid, gid, name: '', spawnAs: { uid, gid } };
  const { code, stdout, stderr } = await run(user, 'id', ['-un']);
  if (code === null) {
    throw new StartError(databasePhrases.cannotChangeUser(uid), { details: stderr });
  }
  if (code !== 0) throw namelessUser(uid);
  return { ...user, name: stdout.trim() };
}

/**
 * The environment of the database's programs. It leaves out variables that change their behaviour (PGPORT, PGOPTIONS,
 * LD_LIBRARY_PATH), and sets English messages, which explain-failure.ts matches.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a command as `user` to its end. Never throws: for a command that cannot be run, the code is null and stderr holds the reason. */
export function run(user: DbUser, file: string, args: readonly string[]): Promise<Outcome> {
  return new Promise<Outcome>((resolve) => {
    // The user may not be allowed into our working directory, so it is /. spawn throws where users may not be changed.
    const child = spawn(file, args, {
      ...user.spawnAs,
      cwd: '/',
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', (error) => resolve({ code: null, stdout, stderr: error.message }));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  }).catch((error: Error) => ({ code: null, stdout: '', stderr: error.message }));
}

/** Whether `user` can enter the folder. A command run as the user decides, so that ACLs and mounts count too. */
export async function canEnter(user: DbUser, folder: string): Promise<boolean> {
  return (await run(user, 'sh', ['-c', 'test -d "$1" && test -x "$1"', 'sh', folder])).code === 0;
}

/**
 * The prefix of a command that makes the kernel send it `signal` when this process dies, also by kill -9. The kernel counts
 * the spawning thread as the parent, so spawn from the main thread.
 * @returns empty without util-linux's setpriv: the next start then stops the stale server
 */
export async function tiedToParent(user: DbUser, signal: 'INT' | 'KILL'): Promise<string[]> {
  const tie = ['setpriv', '--pdeathsig', signal];
  const { code } = await run(user, 'setpriv', [...tie.slice(1), 'true']);
  return code === 0 ? tie : [];
}

function namelessUser(uid: number, cause?: unknown): StartError {
  return new StartError(databasePhrases.namelessUser(uid), { cause });
}
