import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { connectionConfig } from '../db/open.ts';

const RETRY_MS = 1_000;

/**
 * Wakes its caller when a company may have changed. It is a wake-up and no more: a NOTIFY is lost whenever the listening
 * connection is away, so whoever listens compares the versions now and then (see `hub.ts`).
 * @param wake is told a company's id, or null for 'any of them'; it may be told needlessly or twice
 */
export function watchChanges(
  { databaseUrl, log }: { databaseUrl: string; log: FastifyBaseLogger },
  wake: (companyId: number | null) => void,
): { close(): Promise<void> } {
  let closed = false;
  let listener: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;

  async function listen(): Promise<void> {
    const client = new pg.Client({ ...connectionConfig(databaseUrl), keepAlive: true });
    listener = client;
    const lost = () => {
      if (closed || listener !== client) return;
      listener = null;
      client.end().catch(() => {});
      log.warn('the listening connection to the database is away');
      retry = setTimeout(() => void listen(), RETRY_MS);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => wake(Number(payload)));
    try {
      await client.connect();
      await client.query('listen propusk_policy');
      // Whatever was said while nobody listened.
      wake(null);
    } catch {
      lost();
    }
  }

  void listen();
  return {
    async close() {
      closed = true;
      clearTimeout(retry);
      await listener?.end().catch(() => {});
    },
  };
}
