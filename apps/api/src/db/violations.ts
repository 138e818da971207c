import pg from 'pg';

/**
 * Turns a constraint of the database into the refusal that it stands for. The database is the one judge of races: two
 * equal emails at once pass every check before the insert.
 * @param refusals by constraint name
 */
export async function refusing<T>(refusals: Record<string, () => Error>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const refusal = error instanceof pg.DatabaseError ? refusals[error.constraint ?? ''] : undefined;
    throw refusal?.() ?? error;
  }
}
