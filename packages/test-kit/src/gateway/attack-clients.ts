import { connect, type Socket } from 'node:net';

/**
 * Clients that pipeline requests without reading replies, and clients that send requests without pause.
 * Loopback only.
 */

export interface NeverReaders {
  /** Bytes that the kernel accepted from the clients so far. */
  sent(): number;
  /** Connections opened so far: one per client and round. */
  connections(): number;
  stop(): void;
}

/**
 * Connections opened at a time. More would overflow the server's accept queue, which is not the tested
 * attack.
 */
const BATCH = 50;

/**
 * Opens connections in batches. Each sends its bytes and never reads.
 * @param payloads client n sends `payloads[n % payloads.length]`
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
  // Pause before the connect: Node reads the first bytes of an unpaused socket even without a listener.
  socket.pause();
  socket.on('error', () => {});
  const connected = new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', () => resolve());
  });
  return { socket, connected };
}

/** Repeats a request up to a number of bytes. */
export function pipelined(request: string, bytes: number): string {
  return request.repeat(Math.max(1, Math.floor(bytes / request.length)));
}

/**
 * Sends each request 20 times on new connections and reads the replies, so that later measurements exclude
 * first-time allocations. Closes a connection that does not end after a second.
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
      // A reply arrives whole, so a short silence ends the wait on a kept-alive connection.
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
 * Opens connections that each send a request, wait for the reply and send the next.
 * @param requestOf the n-th request of all connections @returns the number of replies so far, and a stop
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
      // A body can arrive in a chunk of its own. The client sends the next request only after a response head.
      if (text.startsWith('HTTP/1.1 ')) ask();
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      open.delete(socket);
      // A refused client reconnects, after a pause that avoids a hot loop.
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
