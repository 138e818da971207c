import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { authorization } from './world.ts';

/** Test clients: curl, and raw bytes for requests that no well-behaved client sends. */

export interface CurlResult {
  readonly status: number;
  /** Status of the CONNECT reply; 0 without one. */
  readonly connectStatus: number;
  readonly head: string;
  readonly body: string;
}

/** Runs curl through the gateway. @param who `name:password`, or an empty string */
export async function curl(port: number, who: string, ...rest: string[]): Promise<CurlResult> {
  requireProgram('/usr/bin/curl', 'curl');
  const proxy = `http://${who === '' ? '' : `${who}@`}127.0.0.1:${port}`;
  const marks = '\n%{http_code} %{http_connect}';
  const args = ['-sS', '-i', '-m', '15', '--noproxy', '', '-x', proxy, '-w', marks, ...rest];
  const { stdout } = await promisify(execFile)('/usr/bin/curl', args).catch(
    (error: { stdout: string }) => error,
  );
  const end = stdout.lastIndexOf('\n');
  const [status, connectStatus] = stdout
    .slice(end + 1)
    .split(' ')
    .map(Number);
  const split = stdout.lastIndexOf('\r\n\r\n', end);
  return {
    status: status ?? 0,
    connectStatus: connectStatus ?? 0,
    head: stdout.slice(0, split),
    body: stdout.slice(split + 4, end),
  };
}

/** Sends bytes from an address of loopback, and collects the reply until the other side ends. */
export async function raw(port: number, bytes: string, localAddress = '127.0.0.1'): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  socket.write(bytes, 'latin1');
  let got = '';
  socket.setEncoding('latin1').on('data', (data: string) => (got += data));
  await new Promise((resolve) => socket.once('close', resolve));
  return got;
}

/** Sends a GET in absolute form with `Connection: close`. */
export function get(port: number, who: string, url: string, headers = ''): Promise<string> {
  const { host } = new URL(url);
  return raw(
    port,
    `GET ${url} HTTP/1.1\r\nHost: ${host}\r\n${authorization(who)}${headers}Connection: close\r\n\r\n`,
  );
}

export interface Tunnel {
  readonly socket: Socket;
  readonly head: string;
  readonly status: number;
  /** All bytes received through the tunnel so far. */
  readonly got: () => string;
  /** Resolves when the gateway has closed it. */
  readonly closed: Promise<void>;
}

/**
 * Opens a tunnel with raw bytes.
 * @param early bytes sent without waiting for the reply @param then whether the client then ends its side
 */
export async function openTunnel(
  port: number,
  who: string,
  authority: string,
  early = '',
  then: 'keep-open' | 'half-close' = 'keep-open',
): Promise<Tunnel> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.on('end', () => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization(who)}\r\n${early}`);
  if (then === 'half-close') socket.end();
  let all = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      all += data;
      if (all.includes('\r\n\r\n')) resolve();
    });
  });
  await Promise.race([answered, closed]);
  const split = all.indexOf('\r\n\r\n') + 4;
  const head = all.slice(0, split);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  return { socket, head, status, got: () => all.slice(split), closed };
}

/** Returns the status of the final response in raw bytes, and the gateway's reason if the response has one. */
export function statusAndReason(raw: string): string {
  const response = raw.replace(/^(?:HTTP\/1\.1 1(?!01)\d\d [^]*?\r\n\r\n)+/, '');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1] ?? 'none';
  const reason = /^x-propusk-reason: (.*)\r$/im.exec(response)?.[1];
  return reason === undefined ? status : `${status} ${reason}`;
}

/** @throws Error naming the package that is missing */
export function requireProgram(binary: string, debianPackage: string): void {
  if (!existsSync(binary)) throw new Error(`${binary} is missing: apt-get install ${debianPackage}`);
}

/** Kills a program with SIGKILL and waits for its exit. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
