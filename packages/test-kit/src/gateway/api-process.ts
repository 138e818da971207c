import { fileURLToPath } from 'node:url';
import type { Endpoint, Input, Output } from '@propusk/contract/endpoint';
import { type Process, startProcess } from './process.ts';

/** The real api in its own process. */
export interface ApiProcess extends Pick<Process, 'ended' | 'kill' | 'terminate'> {
  readonly url: string;
  pid(): number;
  must<E extends Endpoint>(
    token: string | null,
    endpoint: E,
    parts?: { id?: number; body?: Input<E['body']>; headers?: Readonly<Record<string, string>> },
  ): Promise<Output<E['reply']>>;
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
  const settings = { PORT: String(port), ...env };
  let running = await startProcess(main, settings, heapMb);
  return {
    url,
    async start() {
      running = await startProcess(main, settings, heapMb);
    },
    pid: () => running.pid,
    ended: () => running.ended(),
    kill: () => running.kill(),
    terminate: () => running.terminate(),
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
