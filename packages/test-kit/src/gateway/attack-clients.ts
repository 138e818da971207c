import { connect, type Socket } from 'node:net';

/** Clients that pipeline requests and read no answer, and those that ask without a pause. Loopback only. */

export interface NeverReaders {
  /** Bytes that the kernel has taken from the clients so far. */
  sent(): number;
  /** Connections opened so far: one for each client and round. */
  connections(): number;
  /** Destroys every connection. */
  stop(): void;
}

/** Opening more at once overflows the accept queue of the server, which is no part of the attack. */
const BATCH = 50;

/**
 * Opens connections one batch after another. Each sends its bytes and never reads.
 * @param payloads the bytes of client n, `payloads[n % payloads.length]`
 * @returns when all are connected
 */
export async function neverRead(
  port: number,
  count: number,
  payloads: readonly string[],
): Promise<NeverReaders> {
  const sockets: Socket[] = [];
  for (let n = 0; n < count; n += BATCH) {
    const size = Math.min(BATCH, count - n);
    const batch = Array.from({ length: size }, (_, i) => open(port, payloads[(n + i) % payloads.length]));
    sockets.push(...batch.map(({ socket }) => socket));
    await Promise.all(batch.map(({ connected }) => connected));
  }
  return {
    sent: () => sockets.reduce((sum, one) => sum + one.bytesWritten - one.writableLength, 0),
    connections: () => sockets.length,
    stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function open(port: number, bytes = '') {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
  // Before it connects: Node reads the first bytes of a socket that is not paused, though nobody listens.
  socket.pause();
  socket.on('error', () => {});
  const connected = new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', () => resolve());
  });
  return { socket, connected };
}

/** Repeats a request until it fills the bytes. */
export function pipelined(request: string, bytes: number): string {
  return request.repeat(Math.max(1, Math.floor(bytes / request.length)));
}

/**
 * Makes each request 20 times on connections that close behind it, and reads the answers: the process has then done the
 * work, and holds none of it. What must not end by itself is cut after a second.
 */
export async function warmUp(port: number, requests: readonly string[]): Promise<void> {
  for (const each of requests)
    for (let n = 0; n < 4; n++) await Promise.all(Array.from({ length: 5 }, () => readAnswer(port, each)));
}

async function readAnswer(port: number, bytes: string): Promise<void> {
  const { socket } = open(port, bytes);
  let idle: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, 1_000);
    socket.on('data', () => {
      clearTimeout(idle);
      // An answer comes whole; what is kept alive behind it is not waited for.
      idle = setTimeout(resolve, 20);
    });
    socket.once('close', () => {
      clearTimeout(late);
      resolve();
    });
    socket.resume();
  });
  socket.destroy();
}

/**
 * Connections that each send a request, wait for the answer and send the next, as fast as they are served.
 * @param requestOf the n-th request of all @returns how many were answered so far, and the end of it
 */
export function flood(
  port: number,
  count: number,
  requestOf: (n: number) => string,
): { answered(): number; stop(): void } {
  const open = new Set<Socket>();
  let [asked, answered, stopped] = [0, 0, false];
  const start = () => {
    const ask = () => void socket.write(requestOf(asked++), 'latin1');
    const socket = connect(port, '127.0.0.1', ask);
    open.add(socket);
    socket.setEncoding('latin1').on('data', (text: string) => {
      answered += text.split('HTTP/1.1 ').length - 1;
      // The body may come behind its head, and then asks nothing again.
      if (text.startsWith('HTTP/1.1 ')) ask();
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      open.delete(socket);
      // An address that is refused comes again, though not in a hot loop.
      if (!stopped) setTimeout(() => !stopped && start(), 100);
    });
  };
  for (let n = 0; n < count; n++) start();
  return {
    answered: () => answered,
    stop() {
      stopped = true;
      for (const socket of open) socket.destroy();
    },
  };
}
