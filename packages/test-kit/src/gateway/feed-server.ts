import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { type CompanySnapshot, feed } from '@propusk/contract/feed';
import { feedRecords, type GatewayRecord, RecordBatch, recordsOf } from '@propusk/contract/gateway-records';

/** The api's side of the feed, exactly as the contract defines it: every company, `ready`, then changes; and the records of access. */

/** A received batch, with its rows converted to records. */
export interface ReceivedBatch extends Omit<RecordBatch, 'records' | 'rows'> {
  readonly records: GatewayRecord[];
}

export interface FeedServer {
  readonly url: string;
  /** The batches of records as they were stored: each once. */
  readonly batches: ReceivedBatch[];
  /** Every batch as it arrived, also one that was not stored. */
  readonly arrived: ReceivedBatch[];
  /** The last update of each stored record, in the order of their first. */
  records(): GatewayRecord[];
  /** Sets what happens to batches from now on. `cut`: stored, then the connection ends without a reply.
   * `old`: as by an earlier api, which knows no rows. 204:
   * taken and forgotten, for measurements. */
  answerRecords(by: number | 'store' | 'hang' | 'cut' | 'old'): void;
  /** The companies that a new connection receives. */
  readonly companies: Map<number, CompanySnapshot>;
  /** The number of connections opened so far. */
  readonly connections: () => number;
  /** The number of connections refused for a wrong key. */
  readonly refused: () => number;
  /** Stores a snapshot, and sends it to open connections. */
  publish(snapshot: CompanySnapshot): void;
  forget(companyId: number): void;
  send(event: string, data: string): void;
  /** Closes all connections, and keeps listening. */
  cut(): void;
  /** Stops listening; `start` listens on the same port again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Starts a feed that accepts keys derived from a secret. @param options a heartbeat of 0 disables
 * heartbeats
 */
export async function startFeedServer(
  secret: string,
  { heartbeatMs = 100, ready = true } = {},
): Promise<FeedServer> {
  const key = `Bearer ${gatewayKeys(secret).feed}`;
  const companies = new Map<number, CompanySnapshot>();
  const streams = new Set<ServerResponse>();
  let [connections, refused] = [0, 0];
  const batches: ReceivedBatch[] = [];
  const arrived: ReceivedBatch[] = [];
  let recordAnswer: number | 'store' | 'hang' | 'cut' | 'old' = 'store';

  const server = createServer((req, res) => {
    if (req.headers.authorization !== key) {
      refused += 1;
      return void res.writeHead(401).end();
    }
    if (req.url === `/api${feedRecords.path}` && req.method === feedRecords.method)
      return void take(req, res);
    if (req.url !== `/api${feed.path}`) return void res.writeHead(404).end();
    connections += 1;
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    streams.add(res);
    res.on('close', () => streams.delete(res));
    for (const snapshot of companies.values()) write(res, 'company', JSON.stringify(snapshot));
    if (ready) write(res, 'ready', '{}');
  });

  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (recordAnswer === 204) return void req.resume().on('end', () => res.writeHead(204).end());
    const isCompressed = req.headers['content-encoding'] === 'gzip';
    const sent = RecordBatch.parse(JSON.parse(await text(isCompressed ? req.pipe(createGunzip()) : req)));
    if (recordAnswer === 'old' && sent.rows !== undefined) return void res.writeHead(400).end();
    const { rows: _, ...rest } = sent;
    // Without the properties that are undefined.
    const records: GatewayRecord[] = JSON.parse(JSON.stringify(recordsOf(sent)));
    const batch = { ...rest, records };
    arrived.push(batch);
    if (recordAnswer === 'hang') return;
    if (typeof recordAnswer === 'number') return void res.writeHead(recordAnswer).end();
    const known = batches.some(({ run, number }) => run === batch.run && number >= batch.number);
    if (!known) batches.push(batch);
    if (recordAnswer === 'cut') req.socket.destroy();
    else res.writeHead(204).end();
  }

  function write(stream: ServerResponse, event: string, data: string): void {
    stream.write(`event: ${event}\ndata: ${data}\n\n`);
  }
  function send(event: string, data: string): void {
    for (const stream of streams) write(stream, event, data);
  }

  let port = 0;
  let heartbeat: NodeJS.Timeout | undefined;
  async function start(): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    if (heartbeatMs > 0) heartbeat = setInterval(() => send('heartbeat', '{}'), heartbeatMs);
  }
  await start();

  return {
    url: `http://127.0.0.1:${port}`,
    companies,
    batches,
    arrived,
    records: () => [
      ...new Map(batches.flatMap(({ records }) => records).map((record) => [record.id, record])).values(),
    ],
    answerRecords(by) {
      recordAnswer = by;
    },
    connections: () => connections,
    refused: () => refused,
    publish(snapshot) {
      companies.set(snapshot.companyId, snapshot);
      send('company', JSON.stringify(snapshot));
    },
    forget(companyId) {
      companies.delete(companyId);
      send('gone', JSON.stringify({ companyId }));
    },
    send,
    cut() {
      for (const stream of streams) stream.destroy();
    },
    start,
    async stop() {
      clearInterval(heartbeat);
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
