import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { myAccess } from '@propusk/contract/access';
import { listPolicies, updatePolicy } from '@propusk/contract/policies';
import { createSite } from '@propusk/contract/sites';
import { caller } from '../../scripts/call.ts';
import type { Owner } from '../api/fill.ts';
import { clientHello } from '../gateway/hello.ts';
import { startOrigin } from '../gateway/origin.ts';

/**
 * Changes policies at a steady rate, and repeatedly removes the right to an open tunnel. Measures the time
 * from that request to the tunnel's end.
 */
export interface Task {
  readonly api: number;
  readonly gateway: number;
  /** The first owners have tunnels; the policies of the rest only change. */
  readonly owners: readonly Owner[];
  readonly victims: number;
  /** Changes a second, over all companies. */
  readonly rate: number;
  readonly ms: number;
}

export interface Seen {
  readonly changes: number;
  readonly ms: number;
  /** From sending the request to the closed tunnel, in milliseconds. */
  readonly times: readonly number[];
  readonly failed: number;
  readonly fault: string;
}

/** The maximum number of simultaneous changes, each on its own connection. */
const MOST = 64;
const origin = await startOrigin();

async function run({ api, gateway, owners, victims, rate, ms }: Task): Promise<Seen> {
  const times: number[] = [];
  let [changes, passed, failed, fault] = [0, 0, 0, ''];
  const fail = (error: unknown) => {
    failed++;
    fault ||= String(error);
  };

  const call = caller(() => `http://127.0.0.1:${api}`);

  async function policyOf(owner: Owner) {
    const { rows } = await call(owner.token, listPolicies);
    const [policy] = rows;
    if (policy === undefined) throw new Error('No policy');
    return policy;
  }

  const end = performance.now() + ms + 2_000;
  const over = () => performance.now() > end;

  async function victim(owner: Owner): Promise<void> {
    const policy = await policyOf(owner);
    const host = `victim.c${owner.company}.bench.test`;
    await call(owner.token, createSite, { body: { address: `${host}:${origin}`, politics: [policy.id] } });
    const { username, password } = await call(owner.token, myAccess);
    const params = { id: policy.id };
    const users = policy.users.map(({ id }) => id);
    while (!over()) {
      const tunnel = await openSoon(gateway, `${host}:${origin}`, host, `${username}:${password}`, over);
      if (tunnel === null) return;
      const closed = new Promise((resolve) => tunnel.once('close', resolve));
      // Wait a random time, so that the removals do not coincide.
      await sleep(Math.random() * 2_000);
      if (tunnel.destroyed) throw new Error('A tunnel ended by itself');
      const started = performance.now();
      await call(owner.token, updatePolicy, { params, body: { users: [] } });
      await closed;
      times.push(performance.now() - started);
      await call(owner.token, updatePolicy, { params, body: { users } });
      changes += 2;
    }
  }

  const [watched, rest] = [owners.slice(0, victims), owners.slice(victims)];
  const policies = await Promise.all(rest.map(policyOf));
  const pending = new Set<Promise<void>>();
  const work = watched.map((owner) => victim(owner).catch(fail));
  // Wait until the tunnels are open before the measurement starts.
  await sleep(2_000);
  const [begun, before] = [performance.now(), changes];
  let sent = 0;
  while (!over()) {
    // Follows a fixed schedule without waiting for the api, so a slow api does not lower the rate.
    const due = Math.floor(((performance.now() - begun) / 1_000) * rate) - (changes - before);
    for (; sent < due && pending.size < MOST; sent++) {
      const at = sent % rest.length;
      const [owner, policy] = [rest[at], policies[at]];
      if (owner === undefined || policy === undefined) break;
      const body = {
        allSites: false,
        users: sent % (2 * rest.length) < rest.length ? [] : policy.users.map(({ id }) => id),
      };
      const change = call(owner.token, updatePolicy, { params: { id: policy.id }, body })
        .then(() => void passed++, fail)
        .finally(() => pending.delete(change));
      pending.add(change);
    }
    await sleep(5);
  }
  const took = performance.now() - begun;
  const done = passed + changes - before;
  await Promise.all([...pending, ...work]);
  return { changes: done, ms: took, times, failed, fault };
}

/** Retries until the gateway accepts a tunnel; null when the time is over. */
async function openSoon(
  gateway: number,
  authority: string,
  host: string,
  credentials: string,
  over: () => boolean,
): Promise<Socket | null> {
  while (!over()) {
    const opened = await open(gateway, authority, host, credentials);
    if (opened !== null) return opened;
    await sleep(20);
  }
  return null;
}

/** Opens a tunnel, sends a ClientHello and keeps it open; null when the gateway refuses. */
function open(gateway: number, authority: string, host: string, credentials: string): Promise<Socket | null> {
  const hello = clientHello(host, 'idle');
  const socket = connect({ port: gateway, host: '127.0.0.1', noDelay: true });
  const auth = `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${auth}\r\n\r\n`);
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.once('close', () => resolve(null));
    socket.once('data', (head: Buffer) => {
      if (!head.toString('latin1').startsWith('HTTP/1.1 200')) return void socket.destroy();
      socket.write(hello);
      // The first byte from the site proves that the tunnel works.
      socket.once('data', () => resolve(socket));
    });
  });
}

process.on('message', (task: Task) => {
  void run(task).then((seen) => process.send?.({ type: 'seen', ...seen }));
});
process.send?.({ type: 'ready', origin });
