import fastify from 'fastify';
import pg from 'pg';
import { RECORDED, type Recorded, type Statement } from './statements.ts';

/**
 * The reference server of the bench: Fastify and node-postgres send the api's own SQL statements, without
 * sessions, roles, schemas, limits or headers. The parent process sends the recorded statements and
 * receives the port.
 */
process.once('message', ({ url, recorded }: { url: string; recorded: Recorded }) => {
  const { statements, companyId, siteId } = recorded;
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  const app = fastify();
  const ask = async (on: pg.Pool | pg.PoolClient, { text, values }: Statement) =>
    (await on.query(text, [...values])).rows as Record<string, unknown>[];

  app.get('/me', async () => {
    const [one] = statements.me;
    return one === undefined ? null : (await ask(pool, one))[0];
  });

  app.get('/list', async () => {
    const [page, count] = statements.list;
    if (page === undefined || count === undefined) return null;
    const rows = await ask(pool, page);
    return { rows, count: (await ask(pool, count))[0]?.count };
  });

  app.post<{ Body: { address: string; company: number } }>('/create', async ({ body }) => {
    const client = await pool.connect();
    let made: unknown;
    let last: unknown;
    try {
      await client.query('begin');
      for (const { text, values } of statements.create) {
        const own = values.map((value) => ours(value, body, made));
        const rows = await ask(client, { text, values: own });
        if (text.startsWith('insert into "sites"')) made = rows[0]?.id;
        if (rows[0]?.address !== undefined) last = rows[0];
      }
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
    return last;
  });

  /** Replaces a recorded value by this request's own: its company, its address, or the site it created. */
  function ours(
    value: unknown,
    { address, company }: { address: string; company: number },
    made: unknown,
  ): unknown {
    if (typeof value === 'string') return value.replaceAll(RECORDED, address);
    if (value === companyId) return company;
    return value === siteId && made !== undefined ? made : value;
  }

  void app.listen({ port: 0, host: '127.0.0.1' }).then(() => {
    process.send?.({ type: 'listening', port: (app.server.address() as { port: number }).port });
  });
});
