import { fileURLToPath } from 'node:url';
import { firstMessage, LOAD, pinned } from '../harness/pinned.ts';
import type { Seen, Task } from './load.ts';

export interface Load {
  /** Sends requests for the task's duration. @throws Error when a request failed */
  run(task: Task): Promise<Seen>;
  stop(): Promise<void>;
}

/** Starts the load process on its own core. */
export async function startLoad(): Promise<Load> {
  const path = fileURLToPath(import.meta.resolve('./load.ts'));
  const load = pinned(LOAD, [process.execPath, path], { ipc: true });
  await firstMessage(load.child, 'ready');
  return {
    async run(task) {
      load.child.send(task);
      const seen = await firstMessage<Seen>(load.child, 'seen');
      if (seen.failed > 0) throw new Error(`${task.call}: ${seen.failed} failed: ${seen.fault}`);
      return seen;
    },
    stop: load.stop,
  };
}
