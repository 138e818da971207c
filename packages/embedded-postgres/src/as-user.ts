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
  /** For spawn: empty when we are that user already. Node clears the supplementary groups when it switches. */
  readonly spawnAs: { uid?: number; gid?: number };
}

/** How a command ended. `code` is null when it could not be run or a signal ended it. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `nobody` on every Linux that the binaries run on: owns no files, may enter no private folder. */
export const nobodyId = 65_534;

/** Whether this process is root, and so must hand the database over to another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Our own user.
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
 * What the database's programs see of our environment. Nothing that would steer them (PGPORT, PGOPTIONS,
 * LD_LIBRARY_PATH) passes, and messages come in English, so that explain-failure.ts knows them.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a command as `user` to its end. Never throws: one that cannot be run has the code null and says why in stderr. */
export function run(user: DbUser, file: string, args: readonly string[]): Promise<Outcome> {
  return new Promise<Outcome>((resolve) => {
    // The working directory is /, for ours may be closed to the user. It throws where users may not be changed.
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

/** Whether `user` can enter the folder: asked of the system itself, so that ACLs and mounts count too. */
export async function canEnter(user: DbUser, folder: string): Promise<boolean> {
  return (await run(user, 'sh', ['-c', 'test -d "$1" && test -x "$1"', 'sh', folder])).code === 0;
}

/**
 * The words to put before a command so that it dies by `signal` when this process does, also by kill -9. The thread that
 * spawns is what counts as the parent, so spawn from the main one.
 * @returns empty where util-linux's setpriv is absent: then the next start finds and stops what was left
 */
export async function tiedToParent(user: DbUser, signal: 'INT' | 'KILL'): Promise<string[]> {
  const tie = ['setpriv', '--pdeathsig', signal];
  const { code } = await run(user, 'setpriv', [...tie.slice(1), 'true']);
  return code === 0 ? tie : [];
}

function namelessUser(uid: number, cause?: unknown): StartError {
  return new StartError(databasePhrases.namelessUser(uid), { cause });
}
