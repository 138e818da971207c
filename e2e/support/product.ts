import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@propusk/test-kit/daemon';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The product, run as a user runs it: `npm start` in a process group of its own, as a terminal does. */
export interface RunningProduct {
  readonly process: ChildProcess;
  readonly dataDir: string;
  readonly consoleUrl: string;
  readonly gatewayPort: number;
  /** Everything printed so far, stdout and stderr. */
  output(): string;
  /** Resolves with the exit code of npm. */
  readonly ended: Promise<number | null>;
  /** Signals the whole process group, as Ctrl-C in a terminal does. */
  interrupt(): void;
  /** Live processes of the product, as `ps` names them. */
  processes(): Promise<string[]>;
}

/** Creates a temporary data folder. */
export async function makeDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'propusk-e2e-'));
  await chmod(folder, 0o755);
  return folder;
}

export async function removeDataDir(dataDir: string): Promise<void> {
  await rm(dataDir, { recursive: true, force: true });
}

/** Runs `npm start`. A failed start shows in `ended` and `output`. */
export function runProduct(
  dataDir: string,
  ports: { console: number; gateway: number },
  env: NodeJS.ProcessEnv = {},
): RunningProduct {
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: String(ports.console),
      GATEWAY_PORT: String(ports.gateway),
      ...env,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  return {
    process: child,
    dataDir,
    consoleUrl: `http://127.0.0.1:${ports.console}`,
    gatewayPort: ports.gateway,
    output: () => printed,
    ended: once(child, 'close').then(([code]) => code as number | null),
    interrupt: () => process.kill(-(child.pid ?? 0), 'SIGINT'),
    // PostgreSQL runs in its own session, so it is recognised by its data folder.
    processes: async () =>
      (await list()).filter((line) => line.includes(dataDir) || group(line) === child.pid),
  };
}

/**
 * Waits until the api reports that it is healthy. @returns milliseconds since the call
 * @throws Error with the output when the product ends first
 */
export async function untilHealthy(product: RunningProduct): Promise<number> {
  const started = performance.now();
  let ended = false;
  void product.ended.then(() => {
    ended = true;
  });
  while (performance.now() - started < 120_000) {
    if (ended) throw new Error(`The product ended: ${product.output()}`);
    const response = await fetch(`${product.consoleUrl}/api/health`).catch(() => null);
    if (response?.status === 200) return performance.now() - started;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`The product is not healthy after two minutes: ${product.output()}`);
}

/** Waits for the message that `npm start` prints once everything serves. */
export async function untilReady(product: RunningProduct): Promise<void> {
  await untilHealthy(product);
  while (!product.output().includes('Ctrl-C')) await new Promise((resolve) => setTimeout(resolve, 25));
}

/** Sends Ctrl-C, and waits for the exit. */
export async function stopProduct(product: RunningProduct): Promise<void> {
  if (product.process.exitCode === null && product.process.signalCode === null) product.interrupt();
  await product.ended;
}

/** Runs `npm start` on a temporary data folder and free ports, and waits until everything serves. */
export async function startProduct(
  settings: (ports: { console: number; gateway: number }) => NodeJS.ProcessEnv = () => ({}),
): Promise<RunningProduct> {
  const ports = { console: await freePort(), gateway: await freePort() };
  const product = runProduct(await makeDataDir(), ports, settings(ports));
  await untilReady(product).catch(async (error: unknown) => {
    await endProduct(product);
    throw error;
  });
  return product;
}

/** Stops a product and removes its data folder. */
export async function endProduct(product: RunningProduct): Promise<void> {
  await stopProduct(product);
  await removeDataDir(product.dataDir);
}

async function list(): Promise<string[]> {
  const ps = spawn('ps', ['-eo', 'pgid,pid,args', '--no-headers', '-ww'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  ps.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  await once(ps, 'close');
  return text.split('\n').filter((line) => line !== '' && !line.includes('ps -eo'));
}

const group = (line: string) => Number(line.trim().split(/\s+/)[0]);
