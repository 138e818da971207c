import pg from 'pg';

/**
 * Maps a constraint violation to its error. Only the constraint catches races: two concurrent inserts of one email both
 * pass every earlier check.
 * @param refusals the errors by constraint name
 */
export async function refusing<T>(refusals: Record<string, () => Error>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const refusal = error instanceof pg.DatabaseError ? refusals[error.constraint ?? ''] : undefined;
    throw refusal?.() ?? error;
  }
}
