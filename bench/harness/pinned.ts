import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Starts processes pinned to a core, and reads their use of processor and memory from /proc. */

/** The core of the measured process, and the core of load and origin. */
export const MEASURED = 0;
export const LOAD = 1;
/** Both cores, for a measurement that needs no core of its own. */
export const BOTH = `${MEASURED},${LOAD}`;

export interface Pinned extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Processor time since its start, of all threads and of all children, in seconds. */
  cpu(): number;
  /** Processor time of its main thread, in seconds. */
  mainCpu(): number;
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
    mainCpu: () => cpuOfThread(pid, pid),
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

/** Processor time of a process and its descendants, running or ended, in seconds. */
export function cpuOfFamily(pid: number): number {
  return family(pid).reduce((sum, each) => sum + cpuOf(each), 0);
}

const TICKS = 100;
const PAGE = 4_096;

function family(pid: number): number[] {
  const children = threads(pid).flatMap((thread) => read(pid, `task/${thread}/children`).split(' '));
  return [pid, ...children.filter(Boolean).map(Number).flatMap(family)];
}

/**
 * Processor time of a process and of its ended children, in seconds. Each thread has a counter of nanoseconds,
 * which disappears when the thread ends. The counter of the process includes ended threads, but is rounded down
 * to ticks of 10 ms. The function takes the larger of it and the sum over the threads. Ended children are
 * counted in ticks.
 */
function cpuOf(pid: number): number {
  const fields = stat(pid);
  const seconds = (at: number) => (Number(fields[at] ?? 0) + Number(fields[at + 1] ?? 0)) / TICKS;
  const running = threads(pid).reduce((sum, thread) => sum + cpuOfThread(pid, thread), 0);
  return Math.max(running, seconds(11)) + seconds(13);
}

/** Reads what the scheduler counts for a thread: its first field is the time on a core, in nanoseconds. */
function cpuOfThread(pid: number, thread: number): number {
  return Number(read(pid, `task/${thread}/schedstat`).split(' ', 1)[0]) / 1e9;
}

function threads(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

const residentOf = (pid: number) => Number(stat(pid)[21] ?? 0) * PAGE;

/** The fields of /proc/PID/stat after the process name, which may contain spaces. */
function stat(pid: number): string[] {
  const text = read(pid, 'stat');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** A file of a process or thread; empty when that has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
