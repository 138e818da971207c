import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { OpenDb } from '../db/open.ts';

const RETRY_MS = 1_000;

// The cluster, its line of history (the first digits of a segment's name: promotion and recovery to a moment begin
// another) and the database in it.
const ORIGIN = `select concat_ws(' ', (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database())) as origin`;

/** Who is told of changes. */
export interface Changes {
  /** A company's id, or null for 'any of them'; it may be told needlessly or twice. */
  wake(companyId: number | null): void;
  /** Another database stands at the address: a standby that was promoted, or one that was restored. */
  startOver(): void;
}

/**
 * Wakes its caller when a company may have changed. It is a wake-up and no more: a NOTIFY is lost whenever the listening
 * connection is away, so whoever listens compares the versions now and then (see `hub.ts`).
 */
export function watchChanges(
  { opened, log }: { opened: OpenDb; log: FastifyBaseLogger },
  { wake, startOver }: Changes,
): { close(): Promise<void> } {
  let closed = false;
  let listener: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let origin: string | undefined;

  async function listen(): Promise<void> {
    const client = opened.client();
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
      const { rows } = await client.query<{ origin: string }>(ORIGIN);
      const before = origin;
      origin = rows[0]?.origin;
      if (before !== undefined && origin !== before) {
        log.warn('another database answers at the address: gateways are told everything anew');
        startOver();
      }
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
