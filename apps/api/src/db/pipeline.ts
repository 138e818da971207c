import type { CompiledQuery } from 'kysely';
import type { Db, Tx } from './open.ts';

/** A compiled statement and the function that turns its rows into a value. `result` may throw an AppError, for example not_found. */
export interface Statement<T> {
  readonly query: CompiledQuery;
  result(rows: readonly unknown[]): T;
}

/** @param result turns the rows into a value, or throws an AppError */
export function statement<R, T>(query: CompiledQuery<R>, result: (rows: readonly R[]) => T): Statement<T> {
  return { query, result: (rows) => result(rows as readonly R[]) };
}

/** Runs one statement. @throws what its `result` throws */
export async function run<T>(db: Db, { query, result }: Statement<T>): Promise<T> {
  return result((await db.executeQuery(query)).rows);
}

/**
 * Sends several statements of a transaction in one round trip. PostgreSQL runs the statements in order. Each statement takes its
 * own snapshot (READ COMMITTED), so a statement after a lock sees the rows that the previous holder of the lock committed.
 * @returns the result of each statement
 * @throws the error of the first statement that failed or whose `result` throws; PostgreSQL skips the statements after a failed one
 */
export async function pipeline<T extends readonly unknown[]>(
  tx: Tx,
  ...statements: { readonly [I in keyof T]: Statement<T[I]> }
): Promise<T> {
  const sent = await tx
    .getExecutor()
    .provideConnection((connection) =>
      Promise.allSettled(statements.map(({ query }) => connection.executeQuery(query))),
    );
  return statements.map(({ result }, at) => {
    const answer = sent[at];
    if (answer?.status !== 'fulfilled') throw answer?.reason;
    return result(answer.value.rows);
  }) as unknown as T;
}
