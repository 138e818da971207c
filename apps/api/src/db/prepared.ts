import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

/** More texts than the program has; every connection keeps each. */
const MOST = 500;
/** Lists of a caller's length make a text each, and have many values: those are not kept. */
const MOST_VALUES = 40;

/** A newer program has changed a table under a statement: it is not prepared any more. */
const STALE = '0A000';

/**
 * The pool as Kysely takes it, its statements prepared on each connection when they come again: parsing and planning a list
 * costs more than running it. Left alone are statements without parameters, which may be several, and those that search: a plan that is made
 * for any pattern reads the whole table for the rare one.
 */
export function preparing(pool: pg.Pool): PostgresPool {
  // grows: by statements of the program, with up to 40 values; bound: 500 texts, about 5 MB; at the bound: it is
  // emptied; test: none
  const once = new Set<string>();
  // grows: by statements that came twice; bound: 500 texts, about 5 MB; at the bound: further statements are not
  // prepared; test: none
  const names = new Map<string, string | undefined>();
  function nameOf(text: string, values: number): string | undefined {
    if (values === 0 || values > MOST_VALUES || text.includes(' ilike ')) return undefined;
    if (names.has(text)) return names.get(text);
    if (names.size >= MOST) return undefined;
    if (!once.delete(text)) {
      if (once.size >= MOST) once.clear();
      once.add(text);
      return undefined;
    }
    const name = `propusk_${names.size}`;
    names.set(text, name);
    return name;
  }
  // One for each connection: Kysely knows them by what it was given.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const prepared = (client: pg.PoolClient) => ({
    processID: (client as { processID?: number }).processID,
    release: (destroy?: boolean) => client.release(destroy),
    query: async (text: string, values: readonly unknown[]) => {
      const name = nameOf(text, values.length);
      try {
        return await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      } catch (error) {
        // Statements follow BEGIN without waiting for it: they must not run outside the transaction.
        if (text === 'begin') client.connection.stream.destroy();
        if (error instanceof Error && 'code' in error && error.code === STALE) names.set(text, undefined);
        throw error;
      }
    },
  });
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      const own = known.get(client) ?? (prepared(client) as unknown as PostgresPoolClient);
      known.set(client, own);
      return own;
    },
    end: () => pool.end(),
  };
}
