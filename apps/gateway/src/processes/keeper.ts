import { lookup } from 'node:dns/promises';
import { mkdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { getSystemErrorName } from 'node:util';
import { gatewayPhrases, supervisorPhrases } from '@propusk/phrases/launcher';
import { Backoff } from '@propusk/processes/backoff';
import { type Child, forkChild } from '@propusk/processes/child';
import { StartError } from '@propusk/processes/start-error';
import { type FromGateway, REPLACES, SLOT_COUNT, SLOTS, type ToGateway } from './generation.ts';
import { NODE_FLAGS } from './node-flags.ts';

/**
 * The keeper of a gateway: it holds the listening socket, and starts the process that serves on it. A reload starts a new process with
 * the code and settings on disk. Once the new process serves, the previous one only drains.
 *
 *   keeper: bound socket ─┬─> gateway, slot 0: drains for at most an hour
 *                         └─> gateway, slot 1: serves
 *
 * A new process that does not serve in time is killed, and the previous one continues. When the serving process ends, a new one
 * replaces it. Meanwhile the socket keeps listening, and clients wait in its accept queue. A new GATEWAY_SECRET or API_URL ends all
 * earlier processes, because they would receive no further revocation.
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

/**
 * Binds a socket without listening, as node:cluster does for its workers. Node's public API can only bind by `listen()`, which
 * would accept connections in this process.
 */
const { _createServerHandle: createHandle } = net as unknown as {
  _createServerHandle(address: string, port: number, family: number, fd: -1, flags: 0): BoundHandle | number;
};

interface Generation {
  readonly child: Child<ToGateway>;
  readonly env: NodeJS.ProcessEnv;
  /** `host port` of its listening socket. */
  address: string;
  /** Resolves when it serves or waits for a certificate. Rejects when it ends before that. */
  readonly ready: Promise<unknown>;
  readonly released: Promise<unknown>;
  serves: boolean;
}

/**
 * Runs a gateway until a signal, or the end of its process.
 * @param control path of the socket that asks for a reload: it answers `ok` or a sentence
 * @param environment reads the settings at every start of a process. It throws StartError for settings that cannot be used
 * @returns the exit code
 * @throws StartError of the first start
 */
export async function keepGateway(control: string, environment: () => NodeJS.ProcessEnv): Promise<number> {
  /** By `host port`. */
  // Grows with GATEWAY_HOST and GATEWAY_PORT. Bound: the socket of the current address, and those of failed reloads. At the
  // bound: does not grow
  const sockets = new Map<string, BoundHandle>();
  /** By slot. */
  // Grows with reloads. Bound: 8 processes. At the bound: a reload is refused until one has drained
  const living = new Map<number, Generation>();
  const failed = Promise.withResolvers<number>();
  let slot = -1;
  let [reloading, stopping] = [false, false];
  /** A process that is to follow the current one. */
  let next: Generation | undefined;
  /** Attempts to replace the current process since the last successful change, and the pauses between them. */
  let tries = 0;
  const pauses = new Backoff(200, 10_000);
  const isAlive = (one: Generation) => [...living.values()].includes(one);

  async function bind(one: Generation, host: string, port: number): Promise<BoundHandle> {
    one.address = `${host} ${port}`;
    const known = sockets.get(one.address);
    if (known !== undefined) return known;
    const found = await lookup(host);
    const handle = createHandle(found.address, port, found.family, -1, 0);
    const fault = typeof handle === 'number' ? handle : handle.getsockname({});
    if (typeof handle === 'number' || fault !== 0) {
      if (typeof handle !== 'number') handle.close();
      throw Object.assign(new Error('Cannot bind'), { code: getSystemErrorName(fault) });
    }
    sockets.set(one.address, handle);
    return handle;
  }

  /** @param replaces whether it replaces an ended process */
  function start(base: NodeJS.ProcessEnv, replaces = false): Generation {
    do slot = (slot + 1) % SLOT_COUNT;
    while (living.has(slot));
    const own = slot;
    const env = { ...base, [SLOTS]: [own, ...living.keys()].join(), [REPLACES]: replaces ? '1' : '' };
    const child = forkChild<ToGateway>(fileURLToPath(import.meta.resolve('../main.ts')), env, NODE_FLAGS);
    const [ready, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    ready.promise.catch(() => {});
    const one: Generation = {
      child,
      env,
      address: '',
      ready: ready.promise,
      released: released.promise,
      serves: false,
    };
    living.set(own, one);
    child.process.on('message', (message: FromGateway) => {
      if (message.type === 'released') return released.resolve();
      if (message.type === 'bind')
        return void bind(one, message.host, message.port).then(
          (socket) => child.send({ type: 'socket' }, socket as unknown as net.Server),
          (error) => child.send({ type: 'refused', code: String(error.code) }),
        );
      one.serves ||= message.type === 'listening';
      ready.resolve();
      process.send?.(message);
    });
    void child.ended.then((code) => {
      living.delete(own);
      ready.reject(new Error('Ended'));
      if (one !== current) current.child.send({ type: 'ended', slot: own });
      else if (reloading) next?.child.kill();
      else replace(code || 1);
    });
    return one;
  }

  /**
   * Starts a process. Once it serves, the previous one drains, or all earlier ones end if GATEWAY_SECRET or API_URL has changed.
   * @throws Error when the new process does not serve
   */
  async function handOver(base: NodeJS.ProcessEnv): Promise<void> {
    const others = [...living.keys()];
    const before = current;
    const after = start(base, !isAlive(before));
    next = after;
    await after.child.within(READY_MS, after.ready);
    if (!after.serves) {
      after.child.kill();
      throw new Error('It waits for a certificate');
    }
    current = after;
    const isCut = ['GATEWAY_SECRET', 'API_URL'].some((name) => before.env[name] !== after.env[name]);
    if (isCut) for (const one of living.values()) if (one !== after) void one.child.end(STOP_MS);
    if (!isCut) before.child.send({ type: 'drain' });
    const { ended } = before.child;
    await (isCut ? ended : before.child.within(RELEASE_MS, Promise.race([before.released, ended])));
    after.child.send({ type: 'own' });
    for (const other of others) if (!living.has(other)) after.child.send({ type: 'ended', slot: other });
  }

  /** Replaces the current process after its end. @param code the exit code of the keeper, if that process never served */
  function replace(code: number): void {
    if (!current.serves) return failed.resolve(code);
    if (stopping) return;
    const { signalCode, exitCode } = current.child.process;
    process.stderr.write(`${supervisorPhrases.processRestarts('gateway', signalCode ?? exitCode)}\n`);
    change(async () => {
      // The first attempt is immediate and has the settings of the ended process, since those on disk may be half edited. Later
      // attempts alternate between the settings on disk and those of the ended process.
      if (tries > 0) await sleep(pauses.next());
      tries += 1;
      if (!stopping) await handOver(tries % 2 === 1 ? current.env : environment());
    }).catch(() => {});
  }

  /** Runs a change of processes; reloads are refused meanwhile. @throws Error of the work; then the current process is unchanged */
  async function change(work: () => Promise<void>): Promise<void> {
    reloading = true;
    try {
      await work();
      tries = 0;
      pauses.reset();
    } finally {
      reloading = false;
      next = undefined;
      if (!isAlive(current)) replace(1);
      for (const [address, socket] of sockets) {
        if (address === current.address) continue;
        socket.close();
        sockets.delete(address);
      }
    }
  }

  /** @returns `ok`, or what went wrong */
  async function reload(): Promise<string> {
    if (reloading || stopping || living.size >= MOST_LIVING) return gatewayPhrases.busy();
    try {
      await change(async () => {
        const read = environment();
        if (current.serves) return handOver(read);
        current.child.kill();
        await current.child.ended;
        current = start(read);
        await current.child.within(READY_MS, current.ready);
      });
      return 'ok';
    } catch (error) {
      return error instanceof StartError ? error.message : gatewayPhrases.notReplaced();
    }
  }

  const stopped = new Promise<number>((resolve) => {
    for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.on(event, () => resolve(0));
    // Log rotation may send SIGHUP to all processes of the service. With ACCESS_LOG the signal is ignored: each write opens the
    // file anew.
    process.on('SIGHUP', () => void (current.env.ACCESS_LOG || resolve(0)));
  });
  let current = start(environment());
  const server = net.createServer((client) => {
    client.on('error', () => {});
    void reload().then((answer) => client.end(answer));
  });
  const withoutControl = (error: unknown) =>
    process.stderr.write(`${gatewayPhrases.noControl(control, String(error))}\n`);
  server.on('error', withoutControl);
  // Before this gateway has bound its port, the control socket may belong to another running gateway.
  current.ready.then(
    () => {
      try {
        mkdirSync(dirname(control), { recursive: true, mode: 0o700 });
        rmSync(control, { force: true });
        server.listen(control);
      } catch (error) {
        withoutControl(error);
      }
    },
    () => {},
  );
  const code = await Promise.race([failed.promise, stopped]);
  stopping = true;
  await Promise.all([...living.values()].map(({ child }) => child.end(STOP_MS)));
  // Removes the file of the socket.
  server.close();
  return code;
}
