import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { FEED_HEARTBEAT_MS, type FeedEventName } from '@propusk/contract/feed';
import { readMoment, readSnapshot, readVersions, type SnapshotSource } from './store.ts';

/** If a gateway has more unread bytes than this, the hub closes the connection, and the gateway reconnects. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const RETRY_MS = 1_000;

interface Connection {
  readonly stream: ServerResponse;
  /** The last policy version of each company that was sent to this gateway. */
  readonly sent: Map<number, number>;
  /** Whether all initial snapshots have been sent. */
  ready: boolean;
}

export interface Hub {
  /** Sends a gateway the snapshot of every company, then each change, until it disconnects. */
  connect(stream: ServerResponse): Promise<void>;
  /** Sends the gateways the changes of a company. With null, sends the changes of every company. */
  wake(companyId: number | null): void;
  /** Tells all gateways to end the visits that `payload` selects. @param payload the data of the event `end`, as JSON */
  end(payload: string): void;
  /** Ends every connection of a gateway after the database was replaced or restored, so that gateways get all snapshots again. */
  startOver(): void;
  /** Whether the hub accepts no more gateways. */
  isClosed(): boolean;
  /** Ends every connection, so that gateways connect to another api. */
  close(): void;
}

export interface HubParts extends SnapshotSource {
  /** Milliseconds between heartbeats, for tests; the default is FEED_HEARTBEAT_MS. */
  readonly heartbeatMs?: number | undefined;
}

/** Serves snapshots to the gateways connected to this api process, and tracks the versions sent to each. */
export function createHub(parts: HubParts): Hub {
  const { db, log, heartbeatMs = FEED_HEARTBEAT_MS } = parts;
  // Grows with connected gateways. Bound: one connection for each gateway, with up to 64 MB of unread data.
  // At the bound: the hub closes the connection of a gateway that does not read
  const connections = new Set<Connection>();
  // Ids of deleted companies. Without this set, a snapshot from before the deletion could be sent after the `gone` event.
  // Grows with deleted companies. Bound: 40 bytes for each company deleted since the start. At the bound: the set
  // holds every deleted company
  const gone = new Set<number>();
  // Companies whose last read failed. Until a read succeeds, gateways may still grant revoked rights.
  // Grows with failed reads of the database. Bound: one id for each company. At the bound: the set holds every company
  const failing = new Set<number>();
  // Grows with changes of policies. Bound: one read for each company. At the bound: further changes wait for that read
  const reading = new Map<number, Promise<void>>();
  // Grows with changes of policies. Bound: one id for each company. At the bound: the set holds every company
  const again = new Set<number>();
  let closed = false;

  function send(connection: Connection, event: FeedEventName, data: object): void {
    const { stream } = connection;
    // The connection was ended during the read of the snapshot.
    if (stream.writableEnded) return;
    stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (stream.writableLength > MAX_WAITING_BYTES) stream.destroy();
  }

  /** Reads the snapshot of a company, and sends the snapshot to the given gateways that have an older version or no snapshot. */
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

  /**
   * Reads a company and sends its snapshot to all gateways. A call during a read causes one more read.
   * Resolves after the last read.
   */
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
    // No gateway is connected. A gateway that connects later gets all snapshots.
    if (connections.size === 0) return void failing.delete(companyId);
    try {
      await deliver(companyId, connections);
    } catch (error) {
      failing.add(companyId);
      log.error({ err: error, companyId }, 'failed to read a company for the feed');
      if (!closed) setTimeout(() => void refresh(companyId), RETRY_MS).unref();
    }
  }

  /**
   * Compares each company's policy version in the database with the sent version. Sends the snapshot if the versions differ.
   * @returns whether the gateways have the current snapshots
   */
  async function reconcile(): Promise<boolean> {
    if (connections.size === 0) return true;
    try {
      // Copies the sent versions before the read. Otherwise a version sent during the read would make the database look restored.
      const before = [...connections].map(({ sent }) => [...sent]);
      const versions = await readVersions(db);
      // A lower version means that the database was restored from a backup. The database would then reuse
      // version numbers that were already sent, for other content.
      const isRestored = before.some((sent) =>
        sent.some(([id, version]) => (versions.get(id) ?? version) < version),
      );
      if (isRestored) startOver();
      const differing = new Set<number>();
      for (const { sent } of connections) {
        for (const [id, version] of versions) if (sent.get(id) !== version) differing.add(id);
        for (const id of sent.keys()) if (!versions.has(id)) differing.add(id);
      }
      for (const id of differing) await refresh(id);
      return failing.size === 0;
    } catch (error) {
      log.warn({ err: error }, 'failed to read the versions of companies for the feed');
      return false;
    }
  }

  // A heartbeat tells a gateway that its snapshots are current. An api that cannot read the database
  // sends no heartbeats. Its gateways then connect to another api, or let their snapshots expire.
  const heartbeat = setInterval(() => void beat(), heartbeatMs);
  async function beat(): Promise<void> {
    if (!(await reconcile()) || connections.size === 0) return;
    const now = await readMoment(db).catch(() => null);
    if (now === null) return;
    for (const connection of connections) if (connection.ready) send(connection, 'heartbeat', { now });
  }

  function wake(companyId: number | null): void {
    if (companyId !== null) return void refresh(companyId);
    void reconcile().then((isCurrent) => {
      if (!isCurrent && !closed) setTimeout(wake, RETRY_MS, null).unref();
    });
  }

  function startOver(): void {
    // Ends the connections, because gateways accept a lower version, or other content of a version, only after a reconnect.
    for (const { stream } of connections) stream.end();
    connections.clear();
    gone.clear();
  }

  return {
    async connect(stream) {
      // Grows with companies of the platform. Bound: one version for each company and gateway. At the bound: the map holds every
      // company
      const connection: Connection = { stream, sent: new Map(), ready: false };
      // The connection is added before the initial snapshots are sent, so that no change in between is missed.
      connections.add(connection);
      stream.on('close', () => connections.delete(connection));
      try {
        for (const id of (await readVersions(db)).keys()) {
          if (stream.destroyed || stream.writableEnded) return;
          await deliver(id, [connection]);
          if (stream.writableNeedDrain) await Promise.race([once(stream, 'drain'), once(stream, 'close')]);
        }
        const now = await readMoment(db);
        connection.ready = true;
        send(connection, 'ready', { now });
      } catch (error) {
        // A gateway that did not receive the event `ready` keeps its old snapshots and reconnects.
        log.warn({ err: error }, 'failed to send the initial snapshots to a gateway');
        stream.destroy();
      }
    },
    wake,
    end(payload) {
      for (const connection of connections) send(connection, 'end', JSON.parse(payload) as object);
    },
    startOver,
    isClosed: () => closed,
    close() {
      closed = true;
      clearInterval(heartbeat);
      for (const { stream } of connections) stream.end();
    },
  };
}
