import type { RecordRow } from '@propusk/contract/gateway-records';
import type { RecordKind } from '@propusk/contract/records';
import type { ActiveRequest } from '../policy/active-requests.ts';

/** Counts the bytes of a visit. */
export interface Meter {
  /** Brings the visit's `up` and `down` up to date. */
  measure(visit: Visit): void;
  /** Closes the client's connection, for a visit of plain requests. */
  cut?(): void;
}

/** The fields of a record while its visit, or its group of refusals, continues. Times are in ms since 1970. */
export class Visit {
  /** The number of its record within the run; 0 before the first write. */
  number = 0;
  readonly kind: RecordKind;
  readonly startedAt = Date.now();
  /** The end, or the last refusal; 0 while it is open. */
  endedAt = 0;
  updatedAt = this.startedAt;
  /** Ids are 0, and `client` is empty, where nothing is known. */
  companyId = 0;
  userId = 0;
  siteId = 0;
  policyId = 0;
  proxyId = 0;
  client = '';
  /** The client's IP address, as the company lets it be stored. */
  address: string;
  host: string;
  port: number;
  reason = '';
  count = 0;
  up = 0;
  down = 0;
  meter: Meter | null = null;
  /** The request of a tunnel or WebSocket. */
  active: ActiveRequest | null = null;
  /** Whether it is in a list of records to write. */
  queued = false;
  /** The `count` of the last write. */
  writtenCount = 0;
  /** The summary record of this visit and others; null if the visit has its own record. */
  sum: VisitSum | null = null;

  constructor(kind: RecordKind, address: string, host: string, port: number) {
    this.kind = kind;
    this.address = address;
    this.host = host;
    this.port = port;
  }

  /** Milliseconds up to now. A clock that was set back does not make it negative. */
  lasted(now: number): number {
    return Math.max(0, (this.endedAt === 0 ? now : this.endedAt) - this.startedAt);
  }

  toRow(now: number): RecordRow {
    this.meter?.measure(this);
    return [
      this.number,
      this.kind,
      this.startedAt,
      this.lasted(now),
      this.endedAt === 0 ? 1 : 0,
      this.companyId,
      this.userId,
      this.siteId,
      this.policyId,
      this.proxyId,
      this.address,
      this.host,
      this.port,
      this.reason,
      this.count,
      0,
      this.up,
      this.down,
      this.client,
      0,
    ];
  }
}

/** A summary record of visits of one user. It is open while any of its visits is open. */
export class VisitSum extends Visit {
  /** The number of visits of the record. */
  visits = 0;
  // Grows with open visits of users. Bound: the open visits of AccessRecords. At the bound: no further visit is open
  readonly #open = new Set<Visit>();
  /** The times, requests and bytes of the visits that have ended. */
  readonly #ended = { ms: 0, count: 0, up: 0, down: 0 };

  add(visit: Visit): void {
    visit.sum = this;
    this.visits += 1;
    this.#open.add(visit);
    this.endedAt = 0;
    if (visit.address !== this.address) this.address = '';
    if (visit.client !== this.client) this.client = '';
  }

  /** Removes a visit, which moves to another summary record. */
  remove(visit: Visit): void {
    this.visits -= 1;
    this.#close(visit);
  }

  /** Closes a visit, and keeps its final figures. */
  end(visit: Visit): void {
    this.#ended.ms += visit.lasted(visit.endedAt);
    this.#ended.count += visit.count;
    this.#ended.up += visit.up;
    this.#ended.down += visit.down;
    this.#close(visit);
  }

  #close(visit: Visit): void {
    this.#open.delete(visit);
    if (this.#open.size === 0) this.endedAt = Date.now();
  }

  /** The sum of the durations of its visits, in milliseconds. */
  override lasted(now: number): number {
    let { ms } = this.#ended;
    for (const visit of this.#open) ms += visit.lasted(now);
    return ms;
  }

  override toRow(now: number): RecordRow {
    for (const visit of this.#open) visit.meter?.measure(visit);
    for (const key of ['count', 'up', 'down'] as const) {
      this[key] = this.#ended[key];
      for (const visit of this.#open) this[key] += visit[key];
    }
    const row = super.toRow(now);
    row[15] = this.visits;
    row[19] = this.endedAt === 0 ? now : this.endedAt;
    return row;
  }
}
