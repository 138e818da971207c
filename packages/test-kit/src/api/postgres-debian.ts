import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { canConnect, createTemplate } from './database.ts';

const bin = '/usr/lib/postgresql/15/bin';

/** Vitest's global setup: starts Debian's PostgreSQL 15 with its own cluster on a socket in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(`${bin}/postgres`)) {
    throw new Error('PostgreSQL 15 is missing: apt-get install postgresql-15');
  }
  // The server refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const folder = await mkdtemp(join(tmpdir(), 'propusk-pg15-'));
  if (nobody.uid !== undefined) await chown(folder, nobody.uid, nobody.gid);
  const data = join(folder, 'data');
  const options = { ...nobody, cwd: folder, stdio: 'ignore' as const };
  execFileSync(
    `${bin}/initdb`,
    ['-D', data, '-U', 'propusk', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
    options,
  );
  const server = spawn(
    `${bin}/postgres`,
    ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'],
    options,
  );
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const url = `postgresql://propusk@/postgres?host=${encodeURIComponent(folder)}`;
  for (let tries = 100; !(await canConnect(url)); tries--) {
    if (tries === 0) throw new Error('PostgreSQL 15 did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await createTemplate(url);
  project.provide('serverUrl', url);
  return async () => {
    server.kill('SIGINT');
    await ended;
    await rm(folder, { recursive: true });
  };
}
