import type { Tx } from './open.ts';

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
  const end = new Error('The trial was rolled back');
  let outcome!: T;
  try {
    return await write(async (tx) => {
      outcome = await work(tx);
      throw end;
    });
  } catch (error) {
    if (error !== end) throw error;
    return outcome;
  }
}
