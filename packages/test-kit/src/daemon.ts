import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server of Debian in its own folder. It ends with the test process. */
export interface Daemon {
  readonly folder: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** A server in a process of its own. */
export interface DaemonProcess extends Daemon {
  readonly pid: number;
}

/** Creates a folder that servers running as another user can read and write. */
export async function openFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `propusk-${name}-`));
  await chmod(folder, process.getuid?.() === 0 ? 0o1777 : 0o755);
  return folder;
}

/**
 * Starts a program and waits until its ports answer. As root it changes to `www-data` before the program starts: a later
 * change of user would clear the parent-death signal, and a killed test would leave the server behind.
 * @param ports the first is the daemon's port
 * @throws Error with the server's output when the program is missing or ends early
 */
export async function startDaemon(
  folder: string,
  ports: number | readonly [number, ...number[]],
  program: string,
  args: readonly string[],
): Promise<DaemonProcess> {
  if (!existsSync(program)) throw new Error(`${program} is not installed: npm test brings it`);
  const all = typeof ports === 'number' ? ([ports] as const) : ports;
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
    for (const port of all) await answers(port, child);
  } catch (error) {
    child.kill('SIGKILL');
    const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
    await rm(folder, { recursive: true, force: true });
    throw new Error(`${program}: ${output}${log}`, { cause: error });
  }
  return {
    folder,
    port: all[0],
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      // Caddy waits for open connections without a limit.
      const late = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await ended;
      clearTimeout(late);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Listens on a free port of loopback. @returns the port, and a function that closes the server and its connections */
export async function listenOnLoopback(server: Server): Promise<Pick<Daemon, 'port' | 'stop'>> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Returns a port that was free a moment ago. It is below the range from which Linux takes ports for connections and for servers on
 * port 0 (32768 and up), so that no other test gets it meanwhile. It is above 10080, which `fetch` and browsers refuse as a bad port
 * (Fetch standard, section "port blocking").
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_081, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Tells whether a port accepts connections. */
export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 1_200 && child.exitCode === null; tries++) {
    if (await listens(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`nothing answers on port ${port}`);
}
