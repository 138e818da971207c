import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** Offset of the first random byte of a ClientHello, which tells the origin the mode of the tunnel. */
export const HELLO_MODE_AT = 11;

export type Mode =
  /** The origin replies once and closes. */
  | 'hello'
  /** The origin echoes every byte. */
  | 'echo'
  /** The origin sends bytes without end. */
  | 'bulk'
  /** The origin replies once and leaves the tunnel open. */
  | 'idle';

/** Node's ClientHello with a server name, without post-quantum keys, which would not fit into one segment. */
export async function clientHello(servername: string, mode: Mode): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const socket = new Duplex({ read() {}, write: (data: Buffer) => resolve(data) });
  // The handshake gets no answer, so its destruction emits an error.
  const handshake = connect({ socket, servername, ecdhCurve: 'X25519' }).on('error', () => {});
  const hello = Buffer.from(await promise);
  handshake.destroy();
  hello[HELLO_MODE_AT] = mode.charCodeAt(0);
  return hello;
}
