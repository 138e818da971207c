import { connect, type Socket } from 'node:net';
import { startNameServer } from '@propusk/test-kit/gateway/dns';
import { clientHello, type Mode } from './hello.ts';
import { arrived, pump, startOrigin } from './origin.ts';

/** An address of this machine for the name server: squid asks port 53 only. */
const NAME_SERVER = '127.0.0.53';

/**
 * The load generator and the origin, in one process on one core. It receives tasks by IPC and replies with
 * its counts. autocannon and wrk do not support CONNECT. Bytes are prepared before the clock starts, so the
 * core's time goes to sockets. During a task it polls its sockets without sleeping. If it slept, the proxy
 * would spend processor time on the interrupts that wake this core.
 */

export interface LoadClient {
  readonly site: string;
  /** The domain whose names are fresh ones of the same company. */
  readonly wild: string;
  /** `name:password`. */
  readonly credentials: string;
}

export interface Task {
  readonly kind: 'tunnels' | 'fresh' | 'down' | 'up' | 'requests' | 'hold';
  /** Port of the proxy. */
  readonly proxy: number;
  readonly callers: readonly LoadClient[];
  readonly ms: number;
  readonly connections: number;
  /** New tunnels a second; without it each connection opens its next tunnel as soon as it can. */
  readonly rate?: number;
  /** The client's address; without it 127.0.0.1. */
  readonly from?: string;
}

export interface Seen {
  /** Tunnels, bytes or requests during the task, or connections held. */
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
/** Answers every name with this machine, for the proxies that ask it. */
const names = await startNameServer(() => ['127.0.0.1'], 60, { port: 53, address: NAME_SERVER }).catch(
  () => null,
);

interface Prepared {
  readonly connect: Buffer;
  readonly hello: Buffer;
  readonly get: Buffer;
}

function prepare({ kind }: Task, { site, credentials }: LoadClient): Prepared {
  const authority = `${site}:${originPort}`;
  const auth = `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
  return {
    connect: Buffer.from(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${auth}\r\n`),
    hello: clientHello(site, modes[kind]),
    get: Buffer.from(
      `GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\nUser-Agent: bench\r\nAccept: */*\r\n${auth}\r\n`,
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

/** Opens a tunnel. @param on gets the number of bytes of each read after the 200 */
function open(task: Task, prepared: Prepared, on: (length: number) => void): Socket {
  let opened = false;
  let head = '';
  const socket: Socket = connect({
    port: task.proxy,
    host: '127.0.0.1',
    localAddress: task.from,
    noDelay: true,
    onread: {
      buffer: shared,
      callback(length, buffer) {
        if (opened) on(length);
        else {
          // Some proxies send the head in pieces.
          head += (buffer as Buffer).toString('latin1', 0, length);
          opened = head.endsWith('\r\n\r\n');
          if (opened && !ESTABLISHED.test(head)) socket.destroy(new Error(head.split('\r\n', 1)[0]));
          else if (opened) socket.write(prepared.hello);
        }
        return true;
      },
    },
  });
  if (task.kind !== 'hold') socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('silence')));
  socket.write(prepared.connect);
  return socket;
}

/** All sockets read into one buffer, because the load never reads received bytes again. */
const shared = Buffer.alloc(256 * 1024);

function tunnels(task: Task, tally: Tally, prepared: readonly Prepared[]): Promise<void>[] {
  let next = 0;
  const once = () => {
    const at = next++ % prepared.length;
    const client = task.callers[at] as LoadClient;
    const mine = task.kind === 'fresh' ? atFreshName(task, client) : (prepared[at] as Prepared);
    return tunnel(task, tally, mine);
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
    const socket = open(task, prepared, (length) => (got += length));
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

/** Transfers bytes until the time is over. The receiver counts them: the load generator, or the origin for `up`. */
function bytes(task: Task, tally: Tally, prepared: readonly Prepared[]): Promise<void>[] {
  const before = arrived.bytes;
  return Array.from({ length: task.connections }, (_, i) => {
    return new Promise<void>((resolve) => {
      let answered = false;
      const socket = open(task, prepared[i % prepared.length] as Prepared, (length) => {
        if (task.kind === 'down') tally.count += length;
        else if (!answered) pump(socket);
        answered = true;
      });
      setTimeout(() => socket.destroy(), task.ms);
      socket.once('error', (error) => tally.fail(error.message));
      socket.once('close', () => {
        if (task.kind === 'up') tally.count = arrived.bytes - before;
        resolve();
      });
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
        port: task.proxy,
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

/**
 * Opens tunnels, 64 at a time, and keeps them open. A proxy may limit the connections of one client address, so
 * the tunnels come from several addresses.
 */
function hold(task: Task, tally: Tally, prepared: readonly Prepared[]): Promise<void>[] {
  let next = 0;
  return Array.from({ length: 64 }, async () => {
    while (next < task.connections) {
      const mine = prepared[next++ % prepared.length] as Prepared;
      await new Promise<void>((resolve) => {
        const socket = open({ ...task, from: `127.0.0.${1 + (next % 4)}` }, mine, () => {
          tally.count += 1;
          resolve();
        });
        socket.once('error', (error) => {
          tally.fail(error.message);
          resolve();
        });
      });
    }
  });
}

const kinds = { tunnels, fresh: tunnels, down: bytes, up: bytes, requests, hold };

const modes: Readonly<Record<Task['kind'], Mode>> = {
  tunnels: 'hello',
  fresh: 'hello',
  down: 'down',
  up: 'up',
  requests: 'hello',
  hold: 'idle',
};

let busy = false;
/** Keeps the event loop from waiting: with an immediate pending it only polls. */
function poll(): void {
  if (busy) setImmediate(poll);
}

process.on('message', async (task: Task) => {
  busy = true;
  poll();
  const prepared = task.callers.map((client) => prepare(task, client));
  const tally = new Tally(task.ms);
  const started = performance.now();
  await Promise.all(kinds[task.kind](task, tally, prepared));
  busy = false;
  const { count, failed, fault } = tally;
  const times = Float64Array.from(tally.times).toSorted();
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  const seen: Seen = { count, ms: performance.now() - started, p50: at(0.5), p99: at(0.99), failed, fault };
  process.send?.({ type: 'seen', ...seen });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ type: 'ready', port: originPort, dns: names?.address ?? null });
