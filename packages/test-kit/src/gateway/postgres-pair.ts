import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../daemon.ts';
import { requireProgram } from './client.ts';

/** One server of Debian's PostgreSQL 15: the primary or a standby. */
export interface Postgres {
  readonly port: number;
  /** Kills it, like a power failure. */
  kill(): Promise<void>;
  /** Stops it cleanly; `start` brings it back. */
  stop(): Promise<void>;
  start(): Promise<void>;
  promote(): Promise<void>;
  /** Creates a standby that follows this server. */
  standby(): Promise<Postgres>;
  /** @returns the only value of a query's answer, as text */
  ask(query: string): Promise<string>;
}

const bin = '/usr/lib/postgresql/15/bin';
// PostgreSQL does not run as root.
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * Creates a cluster in a temporary folder and starts it as the primary. By default it replicates
 * synchronously: it confirms a commit once a standby has it.
 * @param options of the server, such as `['-c', 'fsync=off']`
 */
export async function startPostgres(
  options: readonly string[] = ['-c', 'synchronous_standby_names=*'],
): Promise<{ primary: Postgres; remove(): Promise<void> }> {
  requireProgram(`${bin}/postgres`, 'postgresql-15');
  const folder = await mkdtemp(join(tmpdir(), 'propusk-pair-'));
  if (nobody.uid !== undefined) await chown(folder, nobody.uid, nobody.gid);
  const data = join(folder, 'first');
  await command('initdb', ['-D', data, '-U', 'propusk', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']);
  const all: Postgres[] = [];
  const primary = await serve(data, options);
  return {
    primary,
    async remove() {
      for (const each of all) await each.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };

  function command(name: string, args: readonly string[]) {
    return promisify(execFile)(join(bin, name), args, { ...nobody, cwd: folder });
  }

  async function serve(at: string, options: readonly string[]): Promise<Postgres> {
    const port = await freePort();
    let child: ChildProcess | undefined;
    const end = async (signal: NodeJS.Signals) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    };
    const own: Postgres = {
      port,
      kill: () => end('SIGKILL'),
      stop: () => end('SIGINT'),
      async start() {
        const listen = ['-c', 'listen_addresses=127.0.0.1', '-p', String(port), '-k', folder];
        child = spawn(join(bin, 'postgres'), ['-D', at, ...listen, ...options], {
          ...nobody,
          cwd: folder,
          stdio: 'ignore',
        });
        const ready = () =>
          command('pg_isready', ['-h', '127.0.0.1', '-p', String(port)]).then(
            () => true,
            () => false,
          );
        for (let tries = 1_200; !(await ready()); tries--) {
          if (tries === 0) throw new Error('PostgreSQL 15 did not start');
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      },
      promote: async () => void (await command('pg_ctl', ['promote', '-D', at])),
      async standby() {
        const copy = join(folder, `standby-${all.length}`);
        const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'propusk'];
        await command('pg_basebackup', [...from, '-D', copy, '-R', '-X', 'stream', '-c', 'fast']);
        return serve(copy, []);
      },
      async ask(query) {
        const client = new pg.Client(`postgresql://propusk@127.0.0.1:${port}/postgres`);
        client.on('error', () => {});
        await client.connect();
        const { rows } = await client.query({ text: query, rowMode: 'array' });
        await client.end();
        return String(rows[0]?.[0]);
      },
    };
    all.push(own);
    await own.start();
    return own;
  }
}

/** Starts a TCP relay to one server. `move` ends its connections and relays new ones to another server. */
export async function startAddress(first: number) {
  let target = first;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const beyond = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [socket, beyond],
      [beyond, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    move(to: number) {
      target = to;
      for (const socket of sockets) socket.destroy();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** @returns the only value of a query's answer, as text */
export async function askServer({ port }: Postgres, query: string): Promise<string> {
  const client = new pg.Client(`postgresql://propusk@127.0.0.1:${port}/postgres`);
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query({ text: query, rowMode: 'array' });
  await client.end();
  return String(rows[0]?.[0]);
}
