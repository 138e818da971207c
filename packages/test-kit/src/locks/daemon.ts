import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server of Debian in its own folder. It ends with the test process. */
export interface Daemon {
  readonly folder: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Creates a folder that servers running as another user can read and write. */
export async function openFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `propusk-${name}-`));
  await chmod(folder, process.getuid?.() === 0 ? 0o1777 : 0o755);
  return folder;
}

/**
 * Starts a program and waits until its port answers. As root it changes to `www-data` before the program starts: a later
 * change of user would clear the parent-death signal, and a killed test would leave the server behind.
 * @throws Error with the server's output when the program is missing or ends early
 */
export async function startDaemon(
  folder: string,
  port: number,
  program: string,
  args: readonly string[],
): Promise<Daemon> {
  if (!existsSync(program)) throw new Error(`${program} is not installed: npm test brings it`);
  const asUser =
    process.getuid?.() === 0 ? ['--reuid', 'www-data', '--regid', 'www-data', '--clear-groups'] : [];
  const child = spawn('setpriv', [...asUser, '--pdeathsig', 'TERM', program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = once(child, 'exit');
  try {
    await answers(port, child);
  } catch (error) {
    child.kill('SIGKILL');
    const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
    await rm(folder, { recursive: true, force: true });
    throw new Error(`${program}: ${output}${log}`, { cause: error });
  }
  return {
    folder,
    port,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    const socket = connect(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing answers on port ${port}`);
}
