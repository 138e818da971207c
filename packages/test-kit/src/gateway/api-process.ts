import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Endpoint, Input, Output } from '@propusk/contract/endpoint';
import { stop } from './client.ts';

/** The real api in its own process. */
export interface ApiProcess {
  readonly url: string;
  pid(): number;
  /** The exit code or signal with the end of its output; null while it runs. */
  ended(): string | null;
  /** Makes a call that must succeed. */
  must<E extends Endpoint>(
    token: string | null,
    endpoint: E,
    parts?: { id?: number; body?: Input<E['body']>; headers?: Readonly<Record<string, string>> },
  ): Promise<Output<E['reply']>>;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Stops it by SIGTERM. @returns its exit code */
  terminate(): Promise<number | null>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
}

const main = fileURLToPath(import.meta.resolve('@propusk/api/main'));

/** Starts an api. @param heapMb limit of V8's old space, in MB */
export async function startApiProcess(
  port: number,
  env: Readonly<
    Record<'DATABASE_URL' | 'SECRET_KEY' | 'GATEWAY_SECRET' | 'DATA_DIR', string> & Record<string, string>
  >,
  heapMb?: number,
): Promise<ApiProcess> {
  const url = `http://127.0.0.1:${port}`;
  const execArgv = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  let child: ChildProcess | undefined;
  let ending: string | null = null;

  async function start(): Promise<void> {
    const settings = { PATH: process.env.PATH, LOG_LEVEL: 'warn', PORT: String(port), ...env };
    child = fork(main, { env: settings, execArgv, silent: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (output += data));
    ending = null;
    const exit = once(child, 'exit').then(([code, signal]) => (ending = `${signal ?? code}: ${output}`));
    const ended = exit.then(() => Promise.reject(new Error(`The api ended: ${output}`)));
    ended.catch(() => {});
    await Promise.race([once(child, 'message'), ended]);
  }
  await start();

  return {
    url,
    start,
    pid: () => child?.pid ?? 0,
    ended: () => ending,
    async kill() {
      if (child !== undefined) await stop(child);
    },
    async terminate() {
      if (child === undefined || child.exitCode !== null) return null;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      return (await ended)[0];
    },
    async must(token, endpoint, { id, body, headers } = {}) {
      const reply = await fetch(`${url}/api${endpoint.path.replace(':id', String(id))}`, {
        method: endpoint.method,
        headers: {
          ...headers,
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (reply.status !== endpoint.status) throw new Error(`${endpoint.path}: ${reply.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
  };
}
