import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Starts processes pinned to a core, and reads their use of processor and memory from /proc. */

/** The core of the measured process, and the core of load and origin. */
export const MEASURED = 0;
export const LOAD = 1;
/** Both cores, for a measurement that needs no core of its own. */
export const BOTH = `${MEASURED},${LOAD}`;

export interface Pinned extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Processor time since its start, children included, in seconds. */
  cpu(): number;
  /** Resident memory, children included, in bytes. */
  resident(): number;
}

/** Starts a program on one core. Our Node programs get an IPC channel. */
export function pinned(
  core: number | string,
  command: readonly string[],
  { env, ipc = false }: { env?: NodeJS.ProcessEnv; ipc?: boolean } = {},
): Pinned {
  const child = spawn('taskset', ['-c', String(core), ...command], {
    stdio: ipc ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', 'ignore', 'ignore'],
    env: env ?? process.env,
  });
  const pid = child.pid ?? 0;
  return {
    child,
    cpu: () => cpuOfFamily(pid),
    resident: () => family(pid).reduce((sum, each) => sum + residentOf(each), 0),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** A program of the bench that answers each task. */
export interface Worker<Task, Seen, Ready = unknown> extends Pinned {
  /** Its first message. */
  readonly ready: Ready;
  run(task: Task): Promise<Seen>;
}

/** Starts a program of the bench. It sends `ready`, and `seen` for each task. @param path from bench/ */
export async function startWorker<Task extends object, Seen, Ready = unknown>(
  core: number | string,
  path: string,
): Promise<Worker<Task, Seen, Ready>> {
  const program = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const worker = pinned(core, [process.execPath, program], { ipc: true });
  return {
    ...worker,
    ready: await firstMessage<Ready>(worker.child, 'ready'),
    run(task) {
      worker.child.send(task);
      return firstMessage<Seen>(worker.child, 'seen');
    },
  };
}

/** Waits for the first message of a type. @throws Error when the process exits before */
export function firstMessage<T>(child: ChildProcess, type: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: { type?: string }) => {
      if (message.type !== type) return;
      child.off('message', onMessage).off('exit', onExit);
      resolve(message as T);
    };
    const onExit = (code: number | null) => reject(new Error(`A process ended with ${code}`));
    child.on('message', onMessage).once('exit', onExit);
  });
}

/** Processor time of a process and all its children, in seconds. */
export function cpuOfFamily(pid: number): number {
  return family(pid).reduce((sum, each) => sum + cpuOf(each), 0);
}

const TICKS = 100;
const PAGE = 4_096;

function family(pid: number): number[] {
  let children: number[] = [];
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    children = text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
  return [pid, ...children.flatMap(family)];
}

function cpuOf(pid: number): number {
  const fields = stat(pid);
  // User and system time of the process and of its ended children.
  return fields === null ? 0 : fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) / TICKS;
}

function residentOf(pid: number): number {
  const fields = stat(pid);
  return fields === null ? 0 : Number(fields[21]) * PAGE;
}

/** Reads the fields of /proc/PID/stat after the process name, which may contain spaces. */
function stat(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
