import { randomUUID } from 'node:crypto';
import { siteCovering } from '@propusk/access/decide';
import { parseAuthority } from '@propusk/access/host';
import type { AccessIndex } from '@propusk/access/snapshot';
import type { VisitEndEvent } from '@propusk/contract/feed';
import type { GatewayRecord, RecordKind } from '@propusk/contract/records';
import type { ActiveRequest } from './active-requests.ts';
import { type Caller, isUser } from './authenticate.ts';
import { ProxyError, type ProxyErrorReason } from './proxy-error.ts';
import { storedAddress } from './stored-address.ts';

/**
 * Makes the records of access (`GatewayRecord`). They hold no path, query, header or body.
 *
 *   visit    written at its start, every 60 s and at its end. A visit shorter than a flush interval is written once, at its end
 *   refusal  grouped within a window of a minute; written at its start, and at the window's end if it repeated
 *
 * A record holds a client address as its company lets it be stored (`storedAddress`), from the start. Without valid credentials there
 * is no company, and the address is in full.
 *
 * A tunnel costs no timer, promise or JSON here: one timer hands the changed records to the sender.
 */

const FLUSH_MS = 1_000;
const UPDATE_MS = 60_000;
/** One less than a batch holds (RecordBatch): the sender adds a record of loss. */
const BATCH = 999;
const WINDOW_MS = 60_000;
/** The most refusal records of a window, of one address and in all. */
const MOST_OF_ADDRESS = 100;
const MOST_OF_WINDOW = 10_000;

/** Counts the bytes of a visit. */
export interface Meter {
  /** Brings the visit's `up` and `down` up to date. */
  measure(visit: Visit): void;
  /** Closes the client's connection, for a visit of plain requests. */
  cut?(): void;
}

/** The fields of a record while its visit, or its group of refusals, continues. Times are in ms since 1970. */
export class Visit {
  readonly id = randomUUID();
  readonly kind: RecordKind;
  readonly startedAt = Date.now();
  /** The end, or the last refusal; 0 while it is open. */
  endedAt = 0;
  updatedAt = this.startedAt;
  companyId: number | undefined;
  userId: number | undefined;
  siteId: number | null = null;
  policyId: number | null = null;
  proxyId: number | undefined;
  client: string | undefined;
  /** The client's, as the company lets it be stored. */
  address: string;
  readonly host: string;
  readonly port: number;
  reason = '';
  count = 0;
  up = 0;
  down = 0;
  meter: Meter | null = null;
  /** The request of a tunnel or WebSocket. */
  active: ActiveRequest | null = null;
  /** Whether the next write includes it. */
  queued = false;
  /** The count of the last write; -1 before. */
  writtenCount = -1;

  constructor(kind: RecordKind, address: string, host: string, port: number) {
    this.kind = kind;
    this.address = address;
    this.host = host;
    this.port = port;
  }

  toRecord(now: number): GatewayRecord {
    this.meter?.measure(this);
    return {
      id: this.id,
      kind: this.kind,
      startedAt: new Date(this.startedAt).toISOString(),
      // A clock that was set back must not make it negative.
      ms: Math.max(0, (this.endedAt === 0 ? now : this.endedAt) - this.startedAt),
      open: this.endedAt === 0,
      companyId: this.companyId,
      userId: this.userId,
      siteId: this.siteId ?? undefined,
      policyId: this.policyId ?? undefined,
      proxyId: this.proxyId,
      address: this.address,
      host: this.host,
      port: this.port,
      reason: this.reason,
      count: this.count,
      up: this.up,
      down: this.down,
      client: this.client,
    };
  }
}

/** The records of one process. */
export class AccessRecords {
  readonly #index: AccessIndex;
  readonly #send: (records: GatewayRecord[]) => void;
  /** The open visits, by their last update. */
  // grows: by users, by tunnels and by sites of a connection; bound: the limits of concurrency-limits.ts, and 16 for each
  // connection; at the bound: 503, and the connection's oldest visit ends
  readonly #open = new Set<Visit>();
  // grows: by changed records of a second; bound: flushed at 999; at the bound: does not grow
  #changed: Visit[] = [];
  // grows: by strangers, by refusals of a minute; bound: 10,000; at the bound: further ones are counted in `#capped`
  readonly #refusals = new Map<string, Visit>();
  /** Counts by whole addresses, which no record holds: many clients share a network, or have none. */
  // grows: by strangers, by addresses of a minute; bound: 10,000; at the bound: does not grow
  readonly #perAddress = new Map<string, number>();
  #capped: Visit | null = null;
  #windowStart = Date.now();
  #timer: NodeJS.Timeout | undefined;

  /** @param send takes at most 999 records; none at the start of the run */
  constructor(index: AccessIndex, send: (records: GatewayRecord[]) => void) {
    this.#index = index;
    this.#send = send;
  }

  /** The records that are not handed to the sender. */
  get waiting(): number {
    return this.#changed.length;
  }

  start(): void {
    // The empty batch announces the run, so that the api interrupts the open visits of earlier ones.
    this.#send([]);
    this.#timer = setInterval(() => this.#tick(), FLUSH_MS);
  }

  /** Ends all visits, and hands every record to the sender. */
  stop(): void {
    clearInterval(this.#timer);
    for (const visit of this.#open) this.close(visit, '');
    this.#endWindow(Date.now());
    while (this.#changed.length > 0) this.#flush();
  }

  /** Opens the visit of an active request; null for a probe. It is not queued. @param address the client's */
  open(kind: RecordKind, active: ActiveRequest, address: string, meter: Meter): Visit | null {
    const { caller, company, policyId, egress } = active;
    const { host, port } = active.target;
    if (!isUser(caller)) return null;
    const visit = new Visit(kind, storedAddress(address, company?.addresses ?? 'full'), host, port);
    visit.userId = caller.userId;
    visit.client = caller.client;
    visit.policyId = policyId;
    if (company !== null) {
      visit.companyId = company.id;
      visit.siteId = siteCovering(company, host, port, policyId);
    }
    if (egress.kind === 'upstream') visit.proxyId = egress.proxyId;
    visit.meter = meter;
    if (kind !== 'requests') visit.active = active;
    this.#open.add(visit);
    return visit;
  }

  /** Has a visit written within a second. */
  queue(visit: Visit): void {
    if (visit.queued) return;
    visit.queued = true;
    if (this.#changed.push(visit) === BATCH) setImmediate(() => this.#flush());
  }

  /** Ends a visit. Idempotent. @param reason why the gateway ended it; empty otherwise */
  close(visit: Visit, reason: ProxyErrorReason | ''): void {
    if (!this.#open.delete(visit)) return;
    visit.endedAt = Date.now();
    visit.reason = reason;
    visit.meter?.measure(visit);
    visit.meter = visit.active = null;
    // Every request failed: each is a refusal.
    if (visit.count > 0 || visit.writtenCount >= 0) this.queue(visit);
  }

  /** Cuts a company's visit by its record, or all visits of its user (the feed's event `end`). */
  end({ companyId, record, user }: VisitEndEvent): void {
    for (const visit of [...this.#open]) {
      if (visit.companyId !== companyId || (visit.id !== record && visit.userId !== user)) continue;
      if (visit.active === null) visit.meter?.cut?.();
      else visit.active.abort(new ProxyError('ended'));
    }
  }

  /**
   * Counts a refusal, unless it is a probe's.
   * @param caller undefined without valid credentials @param authority as the client sent it, without credentials
   */
  refuse(caller: Caller | undefined, authority: string, reason: ProxyErrorReason, address: string): void {
    if (caller !== undefined && !isUser(caller)) return;
    // Strangers are grouped by address: the hosts that they name are no one's sites.
    const target = caller === undefined ? null : parseAuthority(authority);
    const asked =
      caller !== undefined && /^[\w.:[\]-]{1,253}$/.test(authority) ? authority.toLowerCase() : '';
    const { host, port } = target ?? { host: asked, port: 0 };
    const company = caller && this.#index.users.get(caller.userId)?.company;
    const stored = storedAddress(address, company?.addresses ?? 'full');
    const key = `${caller?.userId ?? ''} ${caller?.client ?? ''} ${host} ${port} ${reason} ${stored}`;
    let group = this.#refusals.get(key);
    if (group === undefined) {
      const mine = this.#perAddress.get(address) ?? 0;
      if (mine >= MOST_OF_ADDRESS || this.#refusals.size >= MOST_OF_WINDOW) {
        this.#capped ??= new Visit('loss', '', '', 0);
        this.#capped.reason = 'capped';
        return repeated(this.#capped);
      }
      this.#perAddress.set(address, mine + 1);
      group = new Visit('refusal', stored, host, port);
      group.reason = reason;
      group.userId = caller?.userId;
      group.client = caller?.client;
      group.companyId = company?.id;
      if (company && target) group.siteId = siteCovering(company, target.host, port, null);
      this.#refusals.set(key, group);
      this.queue(group);
    }
    repeated(group);
  }

  #tick(): void {
    const now = Date.now();
    for (const visit of this.#open) {
      if (now - visit.updatedAt < UPDATE_MS) break;
      visit.updatedAt = now;
      this.#open.delete(visit);
      this.#open.add(visit);
      this.queue(visit);
    }
    if (Math.abs(now - this.#windowStart) >= WINDOW_MS) this.#endWindow(now);
    this.#flush();
  }

  #endWindow(now: number): void {
    this.#windowStart = now;
    for (const group of this.#refusals.values()) if (group.count > group.writtenCount) this.queue(group);
    if (this.#capped !== null) this.queue(this.#capped);
    this.#capped = null;
    this.#refusals.clear();
    this.#perAddress.clear();
  }

  #flush(): void {
    const visits = this.#changed.splice(0, BATCH);
    if (visits.length === 0) return;
    const now = Date.now();
    this.#send(
      visits.map((visit) => {
        visit.queued = false;
        // The company may have changed its setting since the visit began.
        const company = this.#index.companies.get(visit.companyId ?? 0);
        visit.address = storedAddress(visit.address, company?.addresses ?? 'full');
        visit.writtenCount = visit.count;
        return visit.toRecord(now);
      }),
    );
    if (this.#changed.length > 0) setImmediate(() => this.#flush());
  }
}

function repeated(group: Visit): void {
  group.count += 1;
  group.endedAt = Date.now();
}
