import { NODE_FLAGS } from '@propusk/gateway/node-flags';
import { type Process, startProcess } from './process.ts';
import { hosts, SECRET } from './world.ts';

/** The real gateway in its own process, as `npm run gateway` starts it. */
export interface GatewayProcess extends Process {
  readonly port: number;
}

const main = new URL('../../../../apps/gateway/src/main.ts', import.meta.url).pathname;

/**
 * Starts a gateway.
 * @param env its settings; API_URL and DATA_DIR are required @param heapMb limit of V8's old space, in MB
 * @throws Error with the end of its output when it does not start
 */
export async function startGatewayProcess(
  env: Readonly<Record<'API_URL' | 'DATA_DIR', string> & Record<string, string>>,
  heapMb?: number,
): Promise<GatewayProcess> {
  const settings = {
    GATEWAY_PORT: '0',
    GATEWAY_PROCESSES: '1',
    GATEWAY_SECRET: SECRET,
    GATEWAY_HOSTS: hosts,
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    CONSOLE_URL: 'http://console.test',
    ...env,
  };
  const started = await startProcess(main, settings, heapMb, NODE_FLAGS);
  return { ...started, port: (started.message as { port: number }).port };
}
