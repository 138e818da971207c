import { type ChildProcess, fork } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getSystemErrorName } from 'node:util';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { type FromGateway, SLOTS, type ToGateway } from '@propusk/gateway/generation';
import { NODE_FLAGS } from '@propusk/gateway/node-flags';
import { gatewayPhrases } from '@propusk/phrases/launcher';
import { withSettings } from './packaged/settings-file.ts';

/**
 * The keeper of a gateway: it holds the listening socket, and starts the process that serves on it. A reload starts another process,
 * of the code and settings on disk. Once that one serves, the process before it only drains.
 *
 *   keeper: bound socket ─┬─> gateway, slot 0: drains for at most an hour
 *                         └─> gateway, slot 1: serves
 *
 * A new process that does not serve in time is killed, and the one before goes on. When the serving process ends, all end.
 */

/** The most time until a new process serves: it needs the whole feed first. */
const READY_MS = 60_000;
const RELEASE_MS = 5_000;
const STOP_MS = 8_000;
const MOST_LIVING = 8;

interface BoundHandle {
  getsockname(into: object): number;
  close(): void;
}

/** Node's cluster binds sockets with it for its workers. `listen()` of a public class would accept connections here. */
const { _createServerHandle: createHandle } = net as unknown as {
  _createServerHandle(address: string, port: number, family: number, fd: -1, flags: 0): BoundHandle | number;
};

interface Generation {
  readonly child: ChildProcess;
  /** Resolves when it serves or waits for a certificate. Rejects when it ends before that. */
  readonly ready: Promise<unknown>;
  readonly released: Promise<unknown>;
  readonly ended: Promise<unknown>;
  serves: boolean;
  send(message: ToGateway, socket?: BoundHandle): void;
}

/**
 * Runs a gateway until a signal, or the end of its process.
 * @param control path of the socket that asks for a reload: it answers `ok` or a sentence
 * @param settings a settings file, read at every start of a process; undefined for the environment alone
 * @returns the exit code
 * @throws StartError for a settings file that cannot be used
 */
export async function keepGateway(control: string, settings: string | undefined): Promise<number> {
  /** By `host port`. */
  // grows: by GATEWAY_HOST and GATEWAY_PORT; bound: the last one, and those of failed reloads since; at the bound: does not grow
  const sockets = new Map<string, BoundHandle>();
  /** By slot. */
  // grows: by reloads; bound: 8 processes; at the bound: a reload is refused until one has drained
  const living = new Map<number, Generation>();
  const failed = Promise.withResolvers<number>();
  const environment = () => (settings === undefined ? process.env : withSettings(settings, process.env));
  const hasAccessLog = environment().ACCESS_LOG !== undefined;
  let address = '';
  let reloading = false;

  async function bind(host: string, port: number): Promise<BoundHandle> {
    address = `${host} ${port}`;
    const known = sockets.get(address);
    if (known !== undefined) return known;
    const found = await lookup(host);
    const handle = createHandle(found.address, port, found.family, -1, 0);
    const fault = typeof handle === 'number' ? handle : handle.getsockname({});
    if (typeof handle === 'number' || fault !== 0)
      throw Object.assign(new Error('Cannot bind'), { code: getSystemErrorName(fault) });
    sockets.set(address, handle);
    return handle;
  }

  function start(): Generation {
    let slot = 0;
    while (living.has(slot)) slot += 1;
    const child = fork(fileURLToPath(import.meta.resolve('@propusk/gateway/main')), {
      env: { ...environment(), [SLOTS]: [slot, ...living.keys()].join() },
      execArgv: [...process.execArgv, ...NODE_FLAGS],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [ready, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    ready.promise.catch(() => {});
    const one: Generation = {
      child,
      ready: ready.promise,
      released: released.promise,
      ended: once(child, 'exit'),
      serves: false,
      // The callback ignores a closed channel: 'exit' reports an ended process.
      send: (message, socket) => void child.send(message, socket as net.Server | undefined, () => {}),
    };
    living.set(slot, one);
    child.on('message', (message: FromGateway) => {
      if (message.type === 'released') return released.resolve();
      if (message.type === 'bind')
        return void bind(message.host, message.port).then(
          (socket) => one.send({ type: 'socket' }, socket),
          (error) => one.send({ type: 'refused', code: String(error.code) }),
        );
      one.serves ||= message.type === 'listening';
      ready.resolve();
      process.send?.(message);
    });
    child.once('exit', (code) => {
      living.delete(slot);
      ready.reject(new Error('Ended'));
      if (one !== current) current.send({ type: 'ended', slot });
      else if (!reloading) failed.resolve(code || 1);
    });
    return one;
  }

  /** Has a new process serve, and the one before drain. @throws Error when the new one does not serve */
  async function handOver(): Promise<void> {
    const others = [...living.keys()];
    const next = start();
    const late = setTimeout(() => next.child.kill('SIGKILL'), READY_MS);
    await next.ready.finally(() => clearTimeout(late));
    if (!next.serves) {
      next.child.kill('SIGKILL');
      throw new Error('It waits for a certificate');
    }
    const before = current;
    current = next;
    before.send({ type: 'drain' });
    const hung = setTimeout(() => before.child.kill('SIGKILL'), RELEASE_MS);
    await Promise.race([before.released, before.ended]);
    clearTimeout(hung);
    next.send({ type: 'own' });
    for (const slot of others) if (!living.has(slot)) next.send({ type: 'ended', slot });
    for (const [other, socket] of sockets) {
      if (other === address) continue;
      socket.close();
      sockets.delete(other);
    }
  }

  /** @returns `ok`, or what went wrong */
  async function reload(): Promise<string> {
    if (reloading || living.size >= MOST_LIVING) return gatewayPhrases.busy();
    reloading = true;
    try {
      environment();
      if (current.serves) await handOver();
      else {
        current.child.kill('SIGKILL');
        await current.ended;
        current = start();
        await current.ready;
      }
      return 'ok';
    } catch (error) {
      return error instanceof StartError ? error.message : gatewayPhrases.notReplaced();
    } finally {
      reloading = false;
      if (![...living.values()].includes(current)) failed.resolve(1);
    }
  }

  const stopped = new Promise<number>((resolve) => {
    for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(event, () => resolve(0));
    // After a rotation of ACCESS_LOG, which needs no signal.
    process.on('SIGHUP', () => void (hasAccessLog || resolve(0)));
  });
  let current = start();
  const server = net.createServer((client) => {
    client.on('error', () => {});
    void reload().then((answer) => client.end(answer));
  });
  server.on('error', (error) =>
    process.stderr.write(`${gatewayPhrases.noControl(control, error.message)}\n`),
  );
  mkdirSync(dirname(control), { recursive: true, mode: 0o700 });
  rmSync(control, { force: true });
  server.listen(control);
  const code = await Promise.race([failed.promise, stopped]);
  for (const { child } of living.values()) {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
  }
  await Promise.all([...living.values()].map(({ ended }) => ended));
  rmSync(control, { force: true });
  return code;
}
