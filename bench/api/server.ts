import { fileURLToPath } from 'node:url';
import { freePort } from '@propusk/test-kit/gateway/upstreams';
import { MEASURED, type Pinned, pinned, told } from '../harness/pinned.ts';

export interface Server {
  readonly name: string;
  readonly process: Pinned;
  readonly port: number;
}

/** The secret that api and gateways share. */
export const GATEWAY_SECRET = 'the gateway secret of the bench, long enough';

/** The real api on a database, held to the measured core unless others are named. @param running gets it, to be stopped */
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
  await told(server.child, 'listening');
  return { name: 'ours', process: server, port };
}
