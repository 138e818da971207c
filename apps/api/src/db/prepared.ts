import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

/** The maximum number of prepared statements per connection. The limit bounds memory; the program has fewer statements. */
const MOST = 500;
/** Statements with more values than this are not prepared, because an IN list of each length is a separate statement. */
const MOST_VALUES = 40;

/** feature_not_supported: a newer program altered a table, so the cached plan no longer fits. */
const STALE = '0A000';

/**
 * Wraps the pool for Kysely and prepares repeated statements on each connection, because parsing and planning a list query costs
 * more than running the query. A query text without parameters is not prepared, because it can hold several statements. A search
 * is not prepared, because a generic plan scans the whole table even for a rare pattern.
 */
export function preparing(pool: pg.Pool): PostgresPool {
  // Grows with different statements that ran once. Bound: 500 texts, about 5 MB. At the bound: the cache is emptied
  const once = new Set<string>();
  // Grows with statements that ran twice. Bound: 500 texts, about 5 MB. At the bound: further statements are not prepared
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
  // Each connection keeps the same wrapper object, because Kysely recognizes a connection by this object.
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const prepared = (client: pg.PoolClient) => ({
    processID: (client as { processID?: number }).processID,
    release: (destroy?: boolean) => client.release(destroy),
    query: async (text: string, values: readonly unknown[]) => {
      const name = nameOf(text, values.length);
      try {
        return await client.query({ text, values: [...values], ...(name !== undefined && { name }) });
      } catch (error) {
        // Later statements are sent without waiting for BEGIN. When BEGIN fails, closing the connection keeps
        // these statements from running outside a transaction.
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
