import { connect, type Socket } from 'node:net';
import { startNameServer } from '@propusk/test-kit/gateway/dns';
import { clientHello, type Mode } from './hello.ts';
import { startOrigin } from './origin.ts';

/** An address of this machine for the name server: squid asks port 53 only. */
const NAME_SERVER = '127.0.0.53';

/**
 * The load generator and the origin, in one process on one core. It receives tasks by IPC and replies with
 * its counts. autocannon and wrk do not speak CONNECT. Bytes are prepared before the clock starts, so the
 * core's time goes to sockets.
 */

export interface LoadClient {
  readonly site: string;
  /** The domain whose names are fresh ones of the same company. */
  readonly wild: string;
  /** The site's IP address, for a proxy that cannot map host names. */
  readonly at?: string;
  /** `name:password`. */
  readonly credentials: string;
}

export interface Task {
  readonly kind: 'tunnels' | 'fresh' | 'bulk' | 'requests' | 'echo' | 'hold' | 'ended' | 'release';
  /** Port of the proxy; null connects to the origin directly. */
  readonly proxy: number | null;
  readonly callers: readonly LoadClient[];
  readonly ms: number;
  readonly connections: number;
  /** New tunnels a second; without it each connection opens its next tunnel as soon as it can. */
  readonly rate?: number;
}

export interface Seen {
  /** Tunnels, bytes, requests or round trips during the task, or connections held. */
  readonly count: number;
  readonly ms: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Failures: refusals, resets, wrong replies. */
  readonly failed: number;
  readonly fault: string;
}

const originPort = await startOrigin();
const held: Socket[] = [];
/** Answers every name with this machine, for the proxies that ask it. */
const names = await startNameServer(() => ['127.0.0.1'], 60, { port: 53, address: NAME_SERVER }).catch(
  () => null,
);

interface Prepared {
  readonly connect: Buffer;
  readonly hello: Buffer;
  readonly get: Buffer;
}

function prepare({ kind, proxy }: Task, { site, credentials, at = site }: LoadClient): Prepared {
  const authority = `${at}:${originPort}`;
  const auth = `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
  const target = proxy === null ? '/' : `http://${authority}/`;
  return {
    connect: Buffer.from(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${auth}\r\n`),
    hello: clientHello(site, modes[kind]),
    get: Buffer.from(
      `GET ${target} HTTP/1.1\r\nHost: ${authority}\r\nUser-Agent: bench\r\nAccept: */*\r\n${proxy === null ? '' : auth}\r\n`,
    ),
  };
}

let fresh = 0;

/** The client at a name that nobody has asked for. */
function atFreshName(task: Task, client: LoadClient): Prepared {
  fresh += 1;
  return prepare(task, { ...client, site: `f${fresh}.${client.wild}` });
}

class Tally {
  count = 0;
  failed = 0;
  fault = '';
  readonly times: number[] = [];
  readonly ended: number;
  constructor(ms: number) {
    this.ended = performance.now() + ms;
  }
  get over(): boolean {
    return performance.now() >= this.ended;
  }
  fail(why: string): void {
    this.failed += 1;
    this.fault ||= why;
  }
}

const ESTABLISHED = /^HTTP\/1\.[01] 200/;

/** A tunnel without bytes for this long counts as stalled. */
const SILENCE_MS = 3_000;

/** Opens a tunnel, or a connection to the origin. @param on receives the bytes after the 200 */
function open(
  task: Task,
  prepared: Prepared,
  on: (socket: Socket, data: Buffer, length: number) => void,
): Socket {
  let opened = task.proxy === null;
  let head = '';
  const socket: Socket = connect({
    port: task.proxy ?? originPort,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: shared,
      callback(length, buffer) {
        const data = buffer as Buffer;
        if (opened) {
          on(socket, data, length);
          return true;
        }
        // Some proxies send the head in pieces.
        head += data.toString('latin1', 0, length);
        if (!head.endsWith('\r\n\r\n')) return true;
        opened = true;
        if (ESTABLISHED.test(head)) socket.write(prepared.hello);
        else socket.destroy(new Error(head.split('\r\n', 1)[0]));
        return true;
      },
    },
  });
  if (task.kind !== 'hold') socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('silence')));
  socket.write(opened ? prepared.hello : prepared.connect);
  return socket;
}

/** All sockets read into one buffer, because the load never reads received bytes again. */
const shared = Buffer.alloc(256 * 1024);

function tunnels(task: Task, tally: Tally, prepared: readonly Prepared[]): Promise<void>[] {
  let next = 0;
  const once = () => {
    const at = next++ % prepared.length;
    const client = task.callers[at] as LoadClient;
    return tunnel(
      task,
      tally,
      task.kind === 'fresh' ? atFreshName(task, client) : (prepared[at] as Prepared),
    );
  };
  if (task.rate !== undefined) return [paced(task.rate, tally, once)];
  return Array.from({ length: task.connections }, async () => {
    while (!tally.over) await once();
  });
}

/** Starts work at a steady rate, whether or not the earlier work is done. */
async function paced(rate: number, tally: Tally, once: () => Promise<void>): Promise<void> {
  const started = performance.now();
  const pending: Promise<void>[] = [];
  while (!tally.over) {
    const due = ((performance.now() - started) / 1_000) * rate;
    while (pending.length < due) pending.push(once());
    await new Promise(setImmediate);
  }
  await Promise.all(pending);
}

/** Opens a tunnel, receives the site's reply and waits for the end. */
function tunnel(task: Task, tally: Tally, prepared: Prepared): Promise<void> {
  const started = performance.now();
  return new Promise<void>((resolve) => {
    let got = 0;
    const socket = open(task, prepared, (_, _data, length) => (got += length));
    socket.once('error', (error) => tally.fail(error.message));
    socket.once('close', () => {
      if (got === 1_200) {
        tally.count += 1;
        tally.times.push(performance.now() - started);
      } else tally.fail(`${got} bytes`);
      resolve();
    });
  });
}

function bulk(task: Task, tally: Tally, prepared: readonly Prepared[]): Promise<void>[] {
  return Array.from({ length: task.connections }, (_, i) => {
    return new Promise<void>((resolve) => {
      const socket = open(task, prepared[i % prepared.length] as Prepared, (_socket, _data, length) => {
        tally.count += length;
        if (tally.over) socket.destroy();
      });
      socket.once('error', (error) => tally.fail(error.message)).once('close', () => resolve());
    });
  });
}

function requests(task: Task, tally: Tally, prepared: readonly Prepared[]): Promise<void>[] {
  return Array.from({ length: task.connections }, (_, i) => {
    const mine = prepared[i % prepared.length] as Prepared;
    return new Promise<void>((resolve) => {
      let expected = 0;
      let got = 0;
      let started = performance.now();
      const ask = () => {
        got = 0;
        expected = 0;
        started = performance.now();
        socket.write(mine.get);
      };
      const socket: Socket = connect({
        port: task.proxy ?? originPort,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer: Buffer.alloc(8_192),
          callback(length, buffer) {
            if (expected === 0) {
              const text = (buffer as Buffer).toString('latin1', 0, length);
              const end = text.indexOf('\r\n\r\n');
              const size = /content-length: (\d+)/i.exec(text)?.[1];
              if (!text.startsWith('HTTP/1.1 200') || end === -1 || size === undefined) {
                socket.destroy(new Error(text.split('\r\n', 1)[0]));
                return false;
              }
              expected = end + 4 + Number(size);
            }
            got += length;
            if (got < expected) return true;
            tally.count += 1;
            tally.times.push(performance.now() - started);
            if (tally.over) socket.destroy();
            else ask();
            return true;
          },
        },
      });
      socket.once('error', (error) => tally.fail(error.message));
      socket.once('close', () => {
        if (!tally.over) tally.fail('closed');
        resolve();
      });
      ask();
    });
  });
}

function echo(task: Task, tally: Tally, prepared: readonly Prepared[]): Promise<void>[] {
  const ping = Buffer.alloc(64, 23);
  return Array.from({ length: task.connections }, (_, i) => {
    return new Promise<void>((resolve) => {
      let hello = 1_200;
      let started = 0;
      const socket = open(task, prepared[i % prepared.length] as Prepared, (_socket, _data, length) => {
        if (hello > 0) hello -= length;
        else {
          tally.count += 1;
          tally.times.push(performance.now() - started);
        }
        if (hello > 0) return;
        if (tally.over) return void socket.destroy();
        started = performance.now();
        socket.write(ping);
      });
      socket.once('error', (error) => tally.fail(error.message)).once('close', () => resolve());
    });
  });
}

/** Opens tunnels and keeps them open, 64 at a time. */
function hold(task: Task, tally: Tally, prepared: readonly Prepared[]): Promise<void>[] {
  let next = 0;
  return Array.from({ length: 64 }, async () => {
    while (next < task.connections) {
      const mine = prepared[next++ % prepared.length] as Prepared;
      await new Promise<void>((resolve) => {
        const socket = open(task, mine, () => {
          tally.count += 1;
          resolve();
        });
        held.push(socket);
        socket.once('error', (error) => {
          tally.fail(error.message);
          resolve();
        });
      });
    }
  });
}

/** Counts the held tunnels that end within the task's time. */
function ended(task: Task, tally: Tally): Promise<void>[] {
  const started = performance.now();
  for (const socket of held) {
    socket.once('close', () => {
      if (tally.over) return;
      tally.count += 1;
      tally.times.push(performance.now() - started);
    });
  }
  return [new Promise((resolve) => setTimeout(resolve, task.ms))];
}

function release(): Promise<void>[] {
  return held.splice(0).map(
    (socket) =>
      new Promise<void>((resolve) => {
        if (socket.destroyed) return resolve();
        socket.once('close', () => resolve());
        socket.destroy();
      }),
  );
}

const kinds = { tunnels, fresh: tunnels, bulk, requests, echo, hold, ended, release };

const modes: Readonly<Record<Task['kind'], Mode>> = {
  tunnels: 'hello',
  fresh: 'hello',
  bulk: 'bulk',
  requests: 'hello',
  echo: 'echo',
  hold: 'idle',
  ended: 'idle',
  release: 'idle',
};

process.on('message', async (task: Task) => {
  const prepared = task.callers.map((client) => prepare(task, client));
  const tally = new Tally(task.ms);
  const started = performance.now();
  await Promise.all(kinds[task.kind](task, tally, prepared));
  const { count, failed, fault } = tally;
  const times = Float64Array.from(tally.times).toSorted();
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  const seen: Seen = { count, ms: performance.now() - started, p50: at(0.5), p99: at(0.99), failed, fault };
  process.send?.({ type: 'seen', ...seen });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ type: 'ready', port: originPort, dns: names?.address ?? null });
