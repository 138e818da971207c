import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { FEED_HEARTBEAT_MS, type FeedEventName } from '@propusk/contract/feed';
import { readSnapshot, readVersions, type SnapshotSource } from './store.ts';

/** A gateway that does not read for so long that this much waits for it is cut off; it will connect again. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const RETRY_MS = 1_000;

interface Connection {
  readonly stream: ServerResponse;
  /** The version of each company that this gateway was sent. */
  readonly sent: Map<number, number>;
  /** It was sent everything once. */
  ready: boolean;
}

export interface Hub {
  /** Sends a gateway everything, then whatever changes, until it goes away. */
  connect(stream: ServerResponse): Promise<void>;
  /** A company may have changed; null: any of them. */
  wake(companyId: number | null): void;
  /** The database is another one than before, or stands earlier: gateways come again and are told everything anew. */
  startOver(): void;
  /** Whether it takes gateways no more. */
  isClosed(): boolean;
  /** Ends every connection, so that gateways turn to another api. */
  close(): void;
}

export interface HubParts extends SnapshotSource {
  /** Milliseconds between heartbeats; a test may not want to wait. */
  readonly heartbeatMs?: number | undefined;
}

/** The gateways connected to this api process, and what each of them was sent. */
export function createHub(parts: HubParts): Hub {
  const { db, log, heartbeatMs = FEED_HEARTBEAT_MS } = parts;
  // grows: by holders of GATEWAY_SECRET; bound: one for each gateway, up to 64 MB that wait to be read; at the bound:
  // a gateway that does not read is cut off; test: none
  const connections = new Set<Connection>();
  // Ids are never reused: a snapshot that was read before the deletion must not follow the word of it.
  // grows: by owners and admins who delete companies; bound: 40 bytes for each company deleted since the start, or
  // since the database was replaced; at the bound: no limit of its own; test: none
  const gone = new Set<number>();
  // Companies whose last reading failed: while there is one, what the gateways have may be too much.
  // grows: by a database that fails; bound: one number for each company; at the bound: does not grow; test: none
  const failing = new Set<number>();
  // grows: by changes of policies; bound: one reading for each company; at the bound: further changes wait for the
  // same reading; test: apps/gateway/src/cluster.db.test.ts
  const reading = new Map<number, Promise<void>>();
  // grows: by changes of policies; bound: one number for each company; at the bound: does not grow; test:
  // apps/gateway/src/cluster.db.test.ts
  const again = new Set<number>();
  let closed = false;

  function send(connection: Connection, event: FeedEventName, data: object): void {
    const { stream } = connection;
    // It was ended while this was read for it.
    if (stream.writableEnded) return;
    stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (stream.writableLength > MAX_WAITING_BYTES) stream.destroy();
  }

  /** Reads a company and tells those who do not have that version yet. */
  async function deliver(companyId: number, to: Iterable<Connection>): Promise<void> {
    const snapshot = await readSnapshot(parts, companyId);
    failing.delete(companyId);
    if (snapshot === null) gone.add(companyId);
    for (const connection of to) {
      if (gone.has(companyId)) {
        if (connection.sent.delete(companyId)) send(connection, 'gone', { companyId });
      } else if (snapshot !== null && (connection.sent.get(companyId) ?? -1) < snapshot.version) {
        connection.sent.set(companyId, snapshot.version);
        send(connection, 'company', snapshot);
      }
    }
  }

  /** Reads a company for all; woken while it is read, it is read once more. Resolves when what was asked for is sent. */
  function refresh(companyId: number): Promise<void> {
    const current = reading.get(companyId);
    if (current !== undefined) {
      again.add(companyId);
      return current;
    }
    const work = (async () => {
      try {
        do {
          again.delete(companyId);
          await tryDeliver(companyId);
        } while (again.has(companyId));
      } finally {
        reading.delete(companyId);
      }
    })();
    reading.set(companyId, work);
    return work;
  }

  async function tryDeliver(companyId: number): Promise<void> {
    // The next gateway is sent everything anyway.
    if (connections.size === 0) return void failing.delete(companyId);
    try {
      await deliver(companyId, connections);
    } catch (error) {
      failing.add(companyId);
      log.error({ err: error, companyId }, 'a company could not be read for the feed');
      if (!closed) setTimeout(() => void refresh(companyId), RETRY_MS).unref();
    }
  }

  /**
   * Finds what was missed: the versions in the database against those that were sent.
   * @returns whether the gateways have all that the database holds
   */
  async function reconcile(): Promise<boolean> {
    if (connections.size === 0) return true;
    try {
      const versions = await readVersions(db);
      // A version that fell is a database that was restored: what was sent since never happened, under numbers that will
      // be given again.
      const fell = [...connections].some(({ sent }) =>
        [...sent].some(([id, version]) => (versions.get(id) ?? version) < version),
      );
      if (fell) startOver();
      const differing = new Set<number>();
      for (const { sent } of connections) {
        for (const [id, version] of versions) if (sent.get(id) !== version) differing.add(id);
        for (const id of sent.keys()) if (!versions.has(id)) differing.add(id);
      }
      for (const id of differing) await refresh(id);
      return failing.size === 0;
    } catch (error) {
      log.warn({ err: error }, 'the versions could not be read for the feed');
      return false;
    }
  }

  // A heartbeat says that the gateway is up to date, not that this process breathes: an api that has lost the database
  // stays silent, and its gateways turn to another one or let their snapshot grow old.
  const heartbeat = setInterval(() => void beat(), heartbeatMs);
  async function beat(): Promise<void> {
    if (!(await reconcile())) return;
    for (const connection of connections) if (connection.ready) send(connection, 'heartbeat', {});
  }

  function wake(companyId: number | null): void {
    if (companyId !== null) return void refresh(companyId);
    void reconcile().then((whole) => {
      if (!whole && !closed) setTimeout(wake, RETRY_MS, null).unref();
    });
  }

  function startOver(): void {
    // Only a new connection lets a gateway believe a lower version, or other content under the one that it has.
    for (const { stream } of connections) stream.end();
    connections.clear();
    gone.clear();
  }

  return {
    async connect(stream) {
      // grows: by companies of the platform; bound: one number for each company and gateway; at the bound: does not
      // grow; test: none
      const connection: Connection = { stream, sent: new Map(), ready: false };
      // Changes made from here on are sent as well, whatever the first round below still has to read.
      connections.add(connection);
      stream.on('close', () => connections.delete(connection));
      try {
        for (const id of (await readVersions(db)).keys()) {
          if (stream.destroyed || stream.writableEnded) return;
          await deliver(id, [connection]);
          // A gateway reads at its own pace; nothing piles up for it here.
          if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
        }
        connection.ready = true;
        send(connection, 'ready', {});
      } catch (error) {
        // Without `ready` the gateway keeps what it has and connects again.
        log.warn({ err: error }, 'a gateway could not be sent everything');
        stream.destroy();
      }
    },
    wake,
    startOver,
    isClosed: () => closed,
    close() {
      closed = true;
      clearInterval(heartbeat);
      for (const { stream } of connections) stream.end();
    },
  };
}
