import { Agent, type RequestOptions, request } from 'node:http';
import type { Owner } from './fill.ts';

/** A task of the load: one call, repeated from a number of connections. A failed request ends the process. */
export interface Task {
  readonly call: 'me' | 'list' | 'create' | 'login';
  readonly port: number;
  /** True for the api, false for bare.ts: paths and tokens differ. */
  readonly ours: boolean;
  /** Duration in milliseconds; 0 sends one request from each connection. */
  readonly ms: number;
  readonly connections: number;
  readonly owners: readonly Owner[];
  /** The password of all owners, for `login`. */
  readonly password?: string;
}

export interface Seen {
  readonly count: number;
  readonly ms: number;
  readonly p50: number;
  readonly p99: number;
}

const paths = {
  me: ['/api/me', '/me'],
  list: ['/api/domain-allowed?page=1&take=10&name=', '/list'],
  create: ['/api/domain-allowed', '/create'],
  login: ['/api/auth/login', '/login'],
} as const;

let made = 0;

async function run({ call, port, ours, ms, connections, owners, password }: Task): Promise<Seen> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const begun = performance.now();
  const times: number[] = [];
  let turn = 0;

  async function once(): Promise<void> {
    const owner = owners[turn++ % owners.length] ?? { token: '', company: 0, email: '' };
    const body = bodyOf(owner);
    const started = performance.now();
    const { status, text } = await ask(
      {
        agent,
        port,
        host: '127.0.0.1',
        path: paths[call][ours ? 0 : 1],
        method: body === null ? 'GET' : 'POST',
        headers: {
          ...(ours && call !== 'login' && { authorization: `Bearer ${owner.token}` }),
          ...(body !== null && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
        },
      },
      body,
    );
    if (status !== 200 && status !== 201) throw new Error(`${call}: ${status} ${text}`);
    times.push(performance.now() - started);
  }

  function bodyOf({ company, email }: Owner): string | null {
    if (call === 'login') return JSON.stringify({ email, password });
    if (call !== 'create') return null;
    const address = `s${process.pid}-${made++}.made.bench.test`;
    return JSON.stringify(ours ? { address, politics: [] } : { address, company });
  }

  async function loop(): Promise<void> {
    do await once();
    while (performance.now() - begun < ms);
  }

  await Promise.all(Array.from({ length: connections }, loop));
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { count: times.length, ms: performance.now() - begun, p50: at(0.5), p99: at(0.99) };
}

function ask(options: RequestOptions, body: string | null) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(options, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
      );
    });
    asked.on('error', reject).end(body ?? undefined);
  });
}

process.on('message', (task: Task) => {
  void run(task).then((seen) => process.send?.({ type: 'seen', ...seen }));
});
process.send?.({ type: 'ready' });
