import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { stop } from './client.ts';
import { hosts, SECRET } from './world.ts';

/** The real gateway in its own process, as `npm run gateway` starts it. */
export interface GatewayProcess {
  readonly pid: number;
  readonly port: number;
  /** The exit code or signal with the end of its output; null while it runs. */
  ended(): string | null;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
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
    PATH: process.env.PATH,
    LOG_LEVEL: 'warn',
    GATEWAY_PORT: '0',
    GATEWAY_PROCESSES: '1',
    GATEWAY_SECRET: SECRET,
    GATEWAY_HOSTS: hosts,
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    CONSOLE_URL: 'http://console.test',
    ...env,
  };
  const execArgv = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
  const child: ChildProcess = fork(main, { env: settings, execArgv, silent: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => (output = (output + data).slice(-2_000)));
  let ended: string | null = null;
  const exit = once(child, 'exit').then(([code, signal]) => (ended = `${signal ?? code}: ${output}`));
  const failed = exit.then(() => Promise.reject(new Error(`The gateway ended: ${ended}`)));
  failed.catch(() => {});
  const [message] = (await Promise.race([once(child, 'message'), failed])) as [{ port: number }];
  return { pid: child.pid ?? 0, port: message.port, ended: () => ended, kill: () => stop(child) };
}
