import type { Tx } from './open.ts';

/** Thrown to roll back the transaction of a trial. */
class RolledBack extends Error {}

/**
 * Runs a change on trial: in a transaction that always rolls back.
 * @param write runs a transaction, as the `write` of a call does
 * @returns what `work` returned
 * @throws what `work` and `write` throw
 */
export async function rolledBack<T>(
  write: (work: (tx: Tx) => Promise<never>) => Promise<never>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  let outcome: { readonly value: T } | undefined;
  try {
    return await write(async (tx) => {
      outcome = { value: await work(tx) };
      throw new RolledBack('The trial was rolled back');
    });
  } catch (error) {
    if (error instanceof RolledBack && outcome !== undefined) return outcome.value;
    throw error;
  }
}
