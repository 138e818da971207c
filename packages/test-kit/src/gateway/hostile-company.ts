import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { authorization } from './world.ts';

/**
 * Attacks the api and the gateway as the owner and the user of a company and as clients without credentials (`strangers`), who use as
 * much of every resource as they can. Runs in a process of lower priority, on loopback only.
 */

export interface Attacked {
  readonly apiPort: number;
  readonly gatewayPort: number;
  /** The token of the attacker's owner. */
  readonly owner: string;
  /** `name:password` of the attacker's user for the gateway. */
  readonly agent: string;
  /** `host:port` of the attacker's site. */
  readonly site: string;
}

/** How often each attack was made, and how the servers answered. */
export type Answers = Record<string, Record<string, number>>;

const TARGET_BYTES = 30_000;
const HOUR_MS = 3_600_000;
/** A request that has no response after this time is given up. */
const ANSWER_MS = 20_000;

/** Starts the attack. @returns a function that ends it */
export async function startHostileCompany(attacked: Attacked): Promise<() => Promise<Answers>> {
  const run = ['-n', '10', process.execPath, import.meta.filename, JSON.stringify(attacked)];
  const child: ChildProcess = spawn('nice', run, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  return async () => {
    const answered = once(child, 'message');
    child.send('end');
    const [answers] = await answered;
    child.kill('SIGKILL');
    return answers as Answers;
  };
}

const answers: Answers = {};
const count = (attack: string, answer: string) => {
  const own = (answers[attack] ??= {});
  own[answer] = (own[answer] ?? 0) + 1;
};

/** Repeats an attack without a pause. @param parallel how many run at once */
function repeat(name: string, parallel: number, attack: (n: number) => Promise<string>): void {
  const loop = async (first: number) => {
    for (let n = first; ; n += parallel)
      count(name, await attack(n).catch((error) => error.code ?? error.message));
  };
  for (let n = 0; n < parallel; n++) void loop(n);
}

/** Sends bytes on a new connection. @returns the status of the response; `none` without one */
function send(port: number, bytes: string, localAddress = '127.0.0.1'): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.setTimeout(ANSWER_MS, () => socket.destroy());
  socket.write(bytes, 'latin1');
  let status = 'none';
  socket.once('data', (data) => {
    status = data.toString('latin1', 9, 12);
    socket.destroy();
  });
  return new Promise((resolve) => {
    socket.on('error', () => {}).once('close', () => resolve(status));
  });
}

/** Calls the api. @param reads whether it reads the response's body */
function call(port: number, path: string, token: string, reads = true): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const options = { port, host: '127.0.0.1', path: `/api${path}`, headers, agent: false, timeout: ANSWER_MS };
  return new Promise((resolve, reject) => {
    const asked = request(options, (res) => {
      const done = () => resolve(String(res.statusCode));
      if (res.statusCode === 200 && !reads) return void setTimeout(done, ANSWER_MS);
      res
        .resume()
        .once('close', done)
        .on('error', () => {});
    });
    asked.once('timeout', () => asked.destroy()).once('error', reject);
    asked.end();
  });
}

function attack({ apiPort, gatewayPort, owner, agent, site }: Attacked): void {
  const mine = authorization(agent);
  const host = (n: number) => `h${n}.${'long-label.'.repeat(20)}test`;
  const from = new Date(Date.now() - 30 * 24 * HOUR_MS).toISOString();
  const to = new Date().toISOString();
  repeat('statistics', 24, () => call(apiPort, `/statistics?from=${from}&to=${to}&step=hour`, owner));
  repeat('slow exports', 4, () => call(apiPort, '/visits/export', owner, false));
  repeat('tunnels', 20, () => send(gatewayPort, `CONNECT ${site} HTTP/1.1\r\nHost: x\r\n${mine}\r\n`));
  repeat('posts', 5, () =>
    send(gatewayPort, `POST http://${site}/small HTTP/1.1\r\nHost: x\r\n${mine}Content-Length: 0\r\n\r\n`),
  );
  repeat('refused hosts', 10, (n) =>
    send(gatewayPort, `GET http://${host(n)}/ HTTP/1.1\r\nHost: x\r\n${mine}\r\n`),
  );
  repeat('long targets', 5, (n) =>
    send(gatewayPort, `GET http://h${n}${'x'.repeat(TARGET_BYTES)}.test/ HTTP/1.1\r\nHost: x\r\n${mine}\r\n`),
  );
  repeat('strangers', 10, (n) =>
    send(gatewayPort, 'GET http://h.test/ HTTP/1.1\r\nHost: x\r\n\r\n', `127.${(n >> 8) % 256}.${n % 256}.7`),
  );
}

if (import.meta.main) {
  attack(JSON.parse(process.argv[2] ?? ''));
  process.send?.('begun');
  process.on('message', () => process.send?.(answers));
  process.on('disconnect', () => process.exit(0));
}
