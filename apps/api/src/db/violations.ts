import pg from 'pg';

/**
 * Awaits a write, and replaces the error of a violated constraint. A check before the write is not enough:
 * two concurrent inserts of one email both pass the check, and only the constraint refuses the second insert.
 * @param refusals the errors by the name of the constraint
 */
export async function refusing<T>(refusals: Record<string, () => Error>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const refusal = error instanceof pg.DatabaseError ? refusals[error.constraint ?? ''] : undefined;
    throw refusal?.() ?? error;
  }
}
