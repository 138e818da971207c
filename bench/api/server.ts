import { fileURLToPath } from 'node:url';
import { freePort } from '@propusk/test-kit/gateway/upstreams';
import { firstMessage, MEASURED, type Pinned, pinned } from '../harness/pinned.ts';

export interface Server {
  readonly name: string;
  readonly process: Pinned;
  readonly port: number;
}

/** The secret that api and gateways share. */
export const GATEWAY_SECRET = 'the gateway secret of the bench, long enough';

/**
 * Starts the real api on a database, on the measured core unless others are given. @param running receives
 * the process, to be stopped
 */
export async function startApi(
  url: string,
  running: Pinned[],
  cores: number | string = MEASURED,
): Promise<Server> {
  const port = await freePort();
  const main = fileURLToPath(import.meta.resolve('@propusk/api/main'));
  const server = pinned(cores, [process.execPath, main], {
    ipc: true,
    env: {
      ...process.env,
      DATABASE_URL: url,
      PORT: String(port),
      SECRET_KEY: 'the secret key of the bench, long enough',
      GATEWAY_SECRET,
      LOG_LEVEL: 'warn',
    },
  });
  running.push(server);
  await firstMessage(server.child, 'listening');
  return { name: 'ours', process: server, port };
}
