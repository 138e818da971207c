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

/** Milliseconds between two requests of a tunnel. */
const TUNNEL_TURN_MS = 3_000;

/**
 * Opens tunnels to a plain HTTP site and sends requests, half of them on kept connections. Each tunnel carries a request at once and
 * then every 3 s, because a gateway ends a silent tunnel on shared egress after 10 s.
 */
export async function startTraffic(
  port: number,
  who: string,
  host: string,
  { tunnels: count = 200, perSecond = 50 } = {},
): Promise<Traffic> {
  const tunnels: Tunnel[] = [];
  for (let i = 0; i < count; i++) {
    const tunnel = await openTunnel(port, who, host);
    await passes(tunnel, host);
    tunnels.push(tunnel);
  }
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
  const turns = (async () => {
    while (await sleep(TUNNEL_TURN_MS, true, { signal: ending.signal }).catch(() => false))
      await Promise.all(tunnels.map((tunnel) => passes(tunnel, host)));
  })();
  return {
    tunnels,
    async end() {
      ending.abort();
      const results = await requests;
      await turns;
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
  const answered = () => got().slice(before).includes('hello');
  await until(() => socket.destroyed || answered()).catch(() => {});
  return !socket.destroyed && answered();
}
