import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { OpenDb } from '../db/open.ts';

const RETRY_MS = 1_000;

// Identifies the cluster, its timeline and the database. The timeline is the first 8 digits of a WAL file name; promotion and
// point-in-time recovery start a new timeline.
const ORIGIN = `select concat_ws(' ', (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database())) as origin`;

/** The callbacks of the listener for changes in the database. */
export interface Changes {
  /** Reports that a company may have changed; null means any company. Reports may be spurious or repeated. */
  wake(companyId: number | null): void;
  /** Forwards a user's request to end visits. @param payload the JSON of the feed's event `end` */
  end(payload: string): void;
  /** Called when the database URL leads to another database, such as a promoted standby or a restored backup. */
  startOver(): void;
}

/**
 * Calls `wake` when a company may have changed. A NOTIFY is lost while the listening connection is down, so the caller must
 * also compare versions regularly (see `hub.ts`).
 */
export function watchChanges(
  { opened, log }: { opened: OpenDb; log: FastifyBaseLogger },
  { wake, end, startOver }: Changes,
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
      log.warn('the listening connection to the database is lost');
      retry = setTimeout(() => void listen(), RETRY_MS);
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ channel, payload = '' }) =>
      channel === 'propusk_end' ? end(payload) : wake(Number(payload)),
    );
    try {
      await client.connect();
      const { rows } = await client.query<{ origin: string }>(ORIGIN);
      const before = origin;
      origin = rows[0]?.origin;
      if (before !== undefined && origin !== before) {
        log.warn('another database answers at the address: gateways get all snapshots again');
        startOver();
      }
      await client.query('listen propusk_policy; listen propusk_end');
      // Any company may have changed, because notifications sent before LISTEN are lost.
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
