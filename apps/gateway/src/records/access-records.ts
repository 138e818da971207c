import { siteCovering } from '@propusk/access/decide';
import { parseAuthority } from '@propusk/access/host';
import type { AccessIndex } from '@propusk/access/snapshot';
import type { VisitEndEvent } from '@propusk/contract/feed';
import { type RecordRow, recordIdOf } from '@propusk/contract/gateway-records';
import { type RecordKind } from '@propusk/contract/records';
import { subscriberOf } from '@propusk/overload/networks';
import type { ActiveRequest } from '../policy/active-requests.ts';
import { type Caller, isUser } from '../policy/authenticate.ts';
import { ProxyError, type ProxyErrorReason } from '../proxy-error.ts';
import { RecordBudget, type RecordRoom } from './record-budget.ts';
import { storedAddress } from './stored-address.ts';
import { type Meter, Visit, VisitSum } from './visit.ts';

/**
 * Makes the records of access (`GatewayRecord`). They hold no path, query, header or body.
 *
 *   visit    written at its end. An open visit is also written at the next tick of a timer, and then every 60 s
 *   refusal  grouped within a window of a minute; written at its start, and at the window's end if it repeated
 *
 * A user or company that has used up its budget (record-budget.ts) loses no visit. A summary record then covers the visits of a minute
 * that have the same user, site, policy, proxy and reason of the end. Once the budget for summary records is used up too, one record an
 * hour covers all visits of the user, and one for each reason covers the refusals; their host is `*`.
 *
 * A record never holds more of a client address than its company lets the gateway store (`storedAddress`). Clients without valid
 * credentials ("strangers" below) have no company: their address is stored in full.
 *
 * This module creates no timer, promise or JSON for a tunnel. It adds one row when the tunnel ends. The sender sends the rows of each
 * second together.
 */

const TICK_MS = 1_000;
const UPDATE_MS = 60_000;
/** The largest number of records written in one turn of the event loop. Writing them takes less than 1 ms. */
const SLICE = 500;
const WINDOW_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Changes of summary records are written at this interval. */
const LATE_MS = 10_000;
/** The most records in a window for clients without valid credentials. */
const MOST_OF_STRANGERS = 200;
/** The host of a summary record of several hosts. */
const SEVERAL = '*';

/** Takes the records. */
export interface RecordSink {
  add(row: RecordRow): void;
  /**
   * Called once a second, to send the rows that were added before.
   * @param safe everything up to this time (ms since 1970) is in rows. Later repetitions may be counted in memory only
   */
  flush(safe: number): void;
}

/** The records of one process. */
export class AccessRecords {
  readonly #index: AccessIndex;
  readonly #run: string;
  readonly #sink: RecordSink;
  #number = 0;
  /** The open visits without a record (`#fresh`), and those with a record, in the order of their last update (`#open`). */
  // Grows with tunnels of users, and with the sites of a connection. Bound: the limits of concurrency-limits.ts, and 16 for each
  // connection. At the bound: 503, and the connection's oldest visit ends
  readonly #fresh = new Set<Visit>();
  // Grows with open visits. Bound: that of `#fresh`. At the bound: as for `#fresh`
  readonly #open = new Set<Visit>();
  /** The refusals and summary records to write at the next tick. */
  // Grows with records of refusals and summary records in a second. Bound: the budgets of record-budget.ts. At the bound: does not grow
  #changed: Visit[] = [];
  readonly #budget: RecordBudget;
  readonly #mostOfStrangers: number;
  /** The refusals and the summary records of this minute. */
  // Grows with records of users in a minute. Bound: the budgets of record-budget.ts. At the bound: further records are summed in
  // `#ofHour`
  readonly #ofMinute = new Map<string, Visit>();
  /** The summary records of this hour. */
  // Grows with users without budget. Bound: one record for the visits of a user, and one for each reason of refusals. At the
  // bound: these records cover further visits and refusals
  readonly #ofHour = new Map<string, Visit>();
  // Grows with subscribers and reasons of refusals without valid credentials. Bound: 200 a minute. At the bound: `#capped`
  // counts further refusals
  readonly #ofStrangers = new Map<string, Visit>();
  /** Summary records that have changed since they were written. They are written again every 10 s. */
  // Grows with changed summary records. Bound: those with an open visit, or of this hour. At the bound: does not grow
  readonly #late = new Set<VisitSum>();
  #lateStart = Date.now();
  /** Whether a group of refusals of this minute has repetitions that are not written. */
  #repeats = false;
  #capped: Visit | null = null;
  #minuteStart = Date.now();
  #hourStart = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #more: NodeJS.Immediate | undefined;

  /** @param run the id of the run (RecordBatch) @param processes the number of processes of the gateway */
  constructor(index: AccessIndex, run: string, sink: RecordSink, processes = 1) {
    this.#index = index;
    this.#run = run;
    this.#sink = sink;
    this.#budget = new RecordBudget(processes);
    this.#mostOfStrangers = Math.ceil(MOST_OF_STRANGERS / processes);
  }

  start(): void {
    // The empty batch announces the run, so that the api marks the open visits of earlier runs as interrupted.
    this.#sink.flush(Date.now());
    // If the previous tick is still writing, its remaining parts also write what this tick would.
    this.#timer = setInterval(() => this.#more ?? this.#tick(), TICK_MS);
  }

  /** Ends all visits, and writes every record. */
  stop(): void {
    clearInterval(this.#timer);
    clearImmediate(this.#more);
    for (const visits of [this.#fresh, this.#open]) for (const visit of visits) this.close(visit, '');
    this.#endMinute(Date.now());
    this.#writeLate(Date.now());
    for (const visit of this.#changed.splice(0)) this.#put(visit);
    this.#sink.flush(Date.now());
  }

  /**
   * Opens the visit of an active request; null for a probe. A visit has no record while its `count` is 0.
   * @param address the client's
   */
  open(kind: RecordKind, active: ActiveRequest, address: string, meter: Meter): Visit | null {
    const { caller, company, policyId, egress } = active;
    const { host, port } = active.target;
    if (!isUser(caller)) return null;
    const visit = new Visit(kind, storedAddress(address, company?.addresses ?? 'full'), host, port);
    visit.userId = caller.userId;
    visit.client = caller.client ?? '';
    visit.policyId = policyId ?? 0;
    if (company !== null) {
      visit.companyId = company.id;
      visit.siteId = siteCovering(company, host, port, policyId) ?? 0;
    }
    if (egress.kind === 'upstream') visit.proxyId = egress.proxyId;
    visit.meter = meter;
    if (kind !== 'requests') visit.active = active;
    this.#fresh.add(visit);
    return visit;
  }

  /** Writes the visit's own record, or notes that its summary record has changed. */
  #update(visit: Visit): void {
    if (visit.sum === null && visit.number === 0) this.#admit(visit);
    if (visit.sum === null) this.#put(visit);
    else this.#change(visit.sum);
  }

  /** Ends a visit. Idempotent. @param reason why the gateway ended it; empty otherwise */
  close(visit: Visit, reason: ProxyErrorReason | ''): void {
    if (!this.#fresh.delete(visit) && !this.#open.delete(visit)) return;
    visit.endedAt = Date.now();
    visit.reason = reason;
    visit.meter?.measure(visit);
    visit.meter = visit.active = null;
    // Each of its requests failed and is recorded as a refusal, so that there is no visit to record.
    if (visit.count === 0 && visit.number === 0 && visit.sum === null) return;
    this.#update(visit);
    if (visit.sum === null) return;
    if (reason !== '' && visit.sum.reason !== reason) this.#sumUpCut(visit, visit.sum);
    visit.sum.end(visit);
    this.#change(visit.sum);
  }

  /** Counts a visit that the gateway ended in the summary record for the reason why it ended. */
  #sumUpCut(visit: Visit, before: VisitSum): void {
    if (before.visits === 1) {
      before.reason = visit.reason;
      for (const records of [this.#ofMinute, this.#ofHour])
        for (const [key, each] of records) if (each === before) records.delete(key);
      return;
    }
    before.remove(visit);
    this.#sumUp(visit, this.#budget.room(visit.companyId, visit.userId));
    this.#change(before);
  }

  /** Cuts a company's visit by its record, or all visits of its user (the feed's event `end`). */
  end({ companyId, record, user }: VisitEndEvent): void {
    const ofRun = (number: number) => record !== undefined && recordIdOf(this.#run, number) === record;
    for (const visit of [...this.#fresh, ...this.#open]) {
      if (visit.companyId !== companyId || (visit.userId !== user && !ofRun((visit.sum ?? visit).number)))
        continue;
      if (visit.active === null) visit.meter?.cut?.();
      else visit.active.abort(new ProxyError('ended'));
    }
  }

  /**
   * Counts a refusal, unless it is a probe's.
   * @param caller undefined without valid credentials
   * @param authority as the client sent it, without credentials
   */
  refuse(caller: Caller | undefined, authority: string, reason: ProxyErrorReason, address: string): void {
    if (caller !== undefined && !isUser(caller)) return;
    if (caller === undefined) return this.#refuseStranger(reason, address);
    const target = parseAuthority(authority);
    const asked = /^[\w.:[\]-]{1,253}$/.test(authority) ? authority.toLowerCase() : '';
    const { host, port } = target ?? { host: asked, port: 0 };
    const { userId, client = '' } = caller;
    const company = this.#index.users.get(userId)?.company;
    // The company of a deleted user, and whether it stores addresses, is unknown.
    const stored = storedAddress(address, company?.addresses ?? 'network');
    const key = `${userId} ${client} ${host} ${port} ${reason} ${stored}`;
    let group = this.#ofMinute.get(key);
    if (group === undefined) {
      const companyId = company?.id ?? 0;
      const siteId = (company && target && siteCovering(company, target.host, port, null)) ?? 0;
      const room = this.#budget.room(companyId, userId);
      const isOfSite = company?.patterns.has(host) === true;
      if (room === 'single' && (isOfSite || this.#budget.names(companyId, userId, host))) {
        this.#budget.take(companyId, userId);
        group = new Visit('refusal', stored, host, port);
        Object.assign(group, { reason, userId, client, companyId, siteId });
        this.#ofMinute.set(key, group);
      } else {
        const several = () =>
          Object.assign(new Visit('refusal', '', SEVERAL, 0), { reason, userId, companyId });
        const name = `refusals ${userId} ${reason}`;
        group = this.#summed(room, { companyId, userId }, [name, name], several);
      }
    }
    this.#repeat(group);
  }

  /** Groups refusals by subscriber and reason. The record has no host: without valid credentials no company is known. */
  #refuseStranger(reason: ProxyErrorReason, address: string): void {
    const key = `${subscriberOf(address)} ${reason}`;
    let group = this.#ofStrangers.get(key);
    if (group === undefined && this.#ofStrangers.size >= this.#mostOfStrangers) {
      this.#capped ??= new Visit('loss', '', '', 0);
      this.#capped.reason = 'capped';
      this.#repeats = true;
      return repeated(this.#capped);
    }
    if (group === undefined) {
      group = new Visit('refusal', address, '', 0);
      group.reason = reason;
      this.#ofStrangers.set(key, group);
    }
    this.#repeat(group);
  }

  /** Counts a refusal of a group. The first refusal creates the record. */
  #repeat(group: Visit): void {
    if (group.number === 0) this.#change(group);
    else this.#repeats = true;
    repeated(group);
  }

  /** Gives a visit its own record if the budget allows it, else a summary record. */
  #admit(visit: Visit): void {
    const { companyId, userId } = visit;
    const room = this.#budget.room(companyId, userId);
    if (room === 'single') this.#budget.take(companyId, userId);
    else this.#sumUp(visit, room);
  }

  #sumUp(visit: Visit, room: RecordRoom): void {
    const { kind, companyId, userId, siteId, policyId, proxyId, client, host, port, reason } = visit;
    const keys = [
      `visits ${userId} ${siteId || `${host}:${port}`} ${policyId} ${proxyId} ${reason}`,
      `visits ${userId}`,
    ] as const;
    const sum = this.#summed(room, visit, keys, (isOfHour) => {
      const made = new VisitSum(kind, visit.address, isOfHour ? SEVERAL : host, isOfHour ? 0 : port);
      return Object.assign(made, {
        ...{ companyId, userId, client },
        ...(isOfHour ? {} : { siteId, policyId, proxyId, reason }),
      });
    });
    if (sum.host !== host) sum.host = SEVERAL;
    sum.add(visit);
  }

  /**
   * Finds the summary record of this minute, or creates it if the budget allows it. Otherwise finds or creates the record of
   * this hour.
   * @param keys the keys of the two records
   */
  #summed<V extends Visit>(
    room: RecordRoom,
    { companyId, userId }: Pick<Visit, 'companyId' | 'userId'>,
    [ofMinute, ofHour]: readonly [string, string],
    make: (isOfHour: boolean) => V,
  ): V {
    const isOfHour = room === 'none';
    const known = this.#ofMinute.get(ofMinute) ?? (isOfHour ? this.#ofHour.get(ofHour) : undefined);
    if (known !== undefined) return known as V;
    const made = make(isOfHour);
    if (isOfHour) this.#ofHour.set(ofHour, made);
    else {
      this.#budget.take(companyId, userId);
      this.#ofMinute.set(ofMinute, made);
    }
    return made;
  }

  /** Notes a refusal or summary record that must be written. */
  #change(visit: Visit): void {
    if (visit.queued) return;
    visit.queued = true;
    // A summary record is written less often than others, because its visits may begin and end many times a second.
    if (visit.number > 0 && visit instanceof VisitSum) this.#late.add(visit);
    else this.#changed.push(visit);
  }

  /** Writes the changed records. Many records take several turns of the event loop. */
  #tick(): void {
    this.#more = undefined;
    const now = Date.now();
    let left = SLICE;
    for (const visit of this.#fresh) {
      if (visit.count === 0) continue;
      if (left-- === 0) return this.#goOn();
      this.#renew(this.#fresh, visit, now);
    }
    for (const visit of this.#open) {
      if (now - visit.updatedAt < UPDATE_MS) break;
      if (left-- === 0) return this.#goOn();
      this.#renew(this.#open, visit, now);
    }
    if (Math.abs(now - this.#minuteStart) >= WINDOW_MS) this.#endMinute(now);
    if (Math.abs(now - this.#lateStart) >= LATE_MS) this.#writeLate(now);
    for (const visit of this.#changed.splice(0, left)) this.#put(visit);
    if (this.#changed.length > 0) return this.#goOn();
    const late = this.#late.size > 0 ? this.#lateStart : now;
    this.#sink.flush(Math.min(now, late, this.#repeats ? this.#minuteStart : now));
  }

  #goOn(): void {
    this.#more = setImmediate(() => this.#tick());
  }

  #renew(from: Set<Visit>, visit: Visit, now: number): void {
    visit.updatedAt = now;
    from.delete(visit);
    this.#open.add(visit);
    this.#update(visit);
  }

  #writeLate(now: number): void {
    this.#lateStart = now;
    for (const sum of this.#late) this.#changed.push(sum);
    this.#late.clear();
  }

  #endMinute(now: number): void {
    this.#minuteStart = now;
    this.#repeats = false;
    for (const groups of [this.#ofMinute, this.#ofHour, this.#ofStrangers])
      for (const group of groups.values()) if (group.count > group.writtenCount) this.#change(group);
    if (this.#capped !== null) this.#change(this.#capped);
    this.#capped = null;
    this.#ofMinute.clear();
    this.#ofStrangers.clear();
    this.#budget.endMinute(now);
    if (Math.abs(now - this.#hourStart) < HOUR_MS) return;
    this.#hourStart = now;
    this.#ofHour.clear();
    this.#budget.endHour();
  }

  #put(visit: Visit): void {
    visit.queued = false;
    if (visit.number === 0) visit.number = this.#number += 1;
    // The company may have changed its setting since the visit began.
    const allowed = this.#index.companies.get(visit.companyId)?.addresses ?? 'full';
    visit.address = storedAddress(visit.address, allowed);
    visit.writtenCount = visit.count;
    this.#sink.add(visit.toRow(Date.now()));
  }
}

function repeated(group: Visit): void {
  group.count += 1;
  group.endedAt = Date.now();
}
