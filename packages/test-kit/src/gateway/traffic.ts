import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTunnel, type Tunnel } from './client.ts';
import { authorization, until } from './world.ts';

/** What a client saw. */
export interface Seen {
  /** Requests that passed, and that did not. */
  readonly passed: number;
  readonly failed: number;
  /** Tunnels that the gateway ended, or that carry no request any more. */
  readonly cut: number;
}

export interface Traffic {
  readonly tunnels: readonly Tunnel[];
  /** Ends the requests, and sends one through each tunnel. */
  end(): Promise<Seen>;
}

/** Opens tunnels to a plain HTTP site and sends requests, half of them on kept connections. */
export async function startTraffic(
  port: number,
  who: string,
  host: string,
  { tunnels: count = 200, perSecond = 50 } = {},
): Promise<Traffic> {
  const tunnels: Tunnel[] = [];
  for (let i = 0; i < count; i++) tunnels.push(await openTunnel(port, who, host));
  const kept = new Agent({ keepAlive: true, maxSockets: 10 });
  const headers = {
    'proxy-authorization': authorization(who).slice('Proxy-Authorization: '.length).trim(),
    host,
  };
  const request = (agent: Agent | false) =>
    new Promise<boolean>((resolve) => {
      get({ port, path: `http://${host}/`, headers, agent }, (reply) =>
        reply
          .resume()
          .on('end', () => resolve(reply.statusCode === 200))
          .on('error', () => resolve(false)),
      ).on('error', () => resolve(false));
    });
  const ending = new AbortController();
  const requests = (async () => {
    const all: Promise<boolean>[] = [];
    for (let i = 0; !ending.signal.aborted; i++) {
      all.push(request(i % 2 === 0 ? kept : false));
      await sleep(1_000 / perSecond);
    }
    return Promise.all(all);
  })();
  return {
    tunnels,
    async end() {
      ending.abort();
      const results = await requests;
      kept.destroy();
      let cut = 0;
      for (const tunnel of tunnels) if (!(await passes(tunnel, host))) cut += 1;
      const passed = results.filter(Boolean).length;
      return { passed, failed: results.length - passed, cut };
    },
  };
}

/** Whether a request passes through a tunnel. */
export async function passes({ socket, status, got }: Tunnel, host: string): Promise<boolean> {
  if (socket.destroyed || status !== 200) return false;
  const before = got().length;
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await until(() => socket.destroyed || got().slice(before).includes('hello'));
  return !socket.destroyed;
}
