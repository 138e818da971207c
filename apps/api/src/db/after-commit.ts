import type { Db, Tx } from './open.ts';

type Hook = () => unknown;

// Bounded: the entry of a transaction is garbage-collected with the transaction
const hooksOf = new WeakMap<Tx, Set<Hook>>();

/** Runs a transaction, then waits for the hooks that `afterCommit` added to it. @throws what `work` throws, after a rollback */
export async function committing<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const hooks = new Set<Hook>();
  const result = await db.transaction().execute((tx) => {
    hooksOf.set(tx, hooks);
    return work(tx);
  });
  await Promise.all([...hooks].map((hook) => hook()));
  return result;
}

/**
 * Adds a hook to a transaction that `committing` started; otherwise the hook never runs. A hook that was added twice runs once.
 */
export function afterCommit(tx: Tx, hook: Hook): void {
  hooksOf.get(tx)?.add(hook);
}
