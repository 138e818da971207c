import { fileURLToPath } from 'node:url';
import { LOAD, pinned, told } from '../harness/pinned.ts';
import type { Seen, Task } from './load.ts';

export interface Load {
  /** Asks for as long as the task says. @throws Error when a request failed */
  run(task: Task): Promise<Seen>;
  stop(): Promise<void>;
}

/** Starts the process that asks the api, on its own core. */
export async function startLoad(): Promise<Load> {
  const path = fileURLToPath(import.meta.resolve('./load.ts'));
  const load = pinned(LOAD, [process.execPath, path], { ipc: true });
  await told(load.child, 'ready');
  return {
    async run(task) {
      load.child.send(task);
      const seen = await told<Seen>(load.child, 'seen');
      if (seen.failed > 0) throw new Error(`${task.call}: ${seen.failed} failed: ${seen.fault}`);
      return seen;
    },
    stop: load.stop,
  };
}
