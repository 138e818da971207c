import { siteCovering } from '@propusk/access/decide';
import { parseAuthority } from '@propusk/access/host';
import type { AccessIndex } from '@propusk/access/snapshot';
import type { VisitEndEvent } from '@propusk/contract/feed';
import type { GatewayRecord, RecordKind } from '@propusk/contract/records';
import { subscriberOf } from '@propusk/overload/networks';
import type { ActiveRequest } from './active-requests.ts';
import { type Caller, isUser } from './authenticate.ts';
import { ProxyError, type ProxyErrorReason } from './proxy-error.ts';
import { RecordBudget, type RecordRoom } from './record-budget.ts';
import { storedAddress } from './stored-address.ts';
import { type Meter, Visit, VisitSum } from './visit.ts';

/**
 * Makes the records of access (`GatewayRecord`). They hold no path, query, header or body.
 *
 *   visit    written at its start, every 60 s and at its end. A visit shorter than a flush interval is written once, at its end
 *   refusal  grouped within a window of a minute; written at its start, and at the window's end if it repeated
 *
 * A user or company that has used up its budget (record-budget.ts) loses no visit. A summary record then covers the visits of a minute
 * that have the same user, site, policy, proxy and reason of the end. Once the budget for summary records is used up too, one record an
 * hour covers all visits of the user, and one for each reason covers the refusals; their host is `*`.
 *
 * A record never holds more of a client address than its company lets the gateway store (`storedAddress`). Clients without valid
 * credentials ("strangers" below) have no company: their address is stored in full.
 *
 * A tunnel costs no timer, promise or JSON here: one timer hands the changed records to the sender.
 */

const FLUSH_MS = 1_000;
const UPDATE_MS = 60_000;
/** At most 900 of the 1,000 records of a RecordBatch: the sender adds records of loss. */
const BATCH = 900;
const WINDOW_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Changes of summary records are written at this interval. */
const LATE_MS = 10_000;
/** The most records in a window for clients without valid credentials. */
const MOST_OF_STRANGERS = 200;
/** The host of a summary record of several hosts. */
const SEVERAL = '*';

/** The records of one process. */
export class AccessRecords {
  readonly #index: AccessIndex;
  readonly #send: (records: GatewayRecord[]) => void;
  /** The open visits, by their last update. */
  // Grows with tunnels of users, and with the sites of a connection. Bound: the limits of concurrency-limits.ts, and 16 for each
  // connection. At the bound: 503, and the connection's oldest visit ends
  readonly #open = new Set<Visit>();
  // Grows with changed records of a second. Bound: flushed at 900. At the bound: does not grow
  #changed: Visit[] = [];
  readonly #budget: RecordBudget;
  readonly #mostOfStrangers: number;
  /** The refusals and the summary records of this minute. */
  // Grows with records of users in a minute. Bound: the budgets of record-budget.ts. At the bound: records of `#ofHour`
  readonly #ofMinute = new Map<string, Visit>();
  /** The summary records of this hour. */
  // Grows with users without budget. Bound: one record for the visits of a user, and one for each reason of refusals. At the
  // bound: these records cover further visits and refusals
  readonly #ofHour = new Map<string, Visit>();
  // Grows with subscribers and reasons of refusals without valid credentials. Bound: 200 a minute. At the bound: `#capped`
  // counts further refusals
  readonly #ofStrangers = new Map<string, Visit>();
  /** Summary records to write again. */
  // Grows with changed summary records. Bound: those with an open visit, or of this hour. At the bound: does not grow
  readonly #late = new Set<VisitSum>();
  #lateStart = Date.now();
  #capped: Visit | null = null;
  #minuteStart = Date.now();
  #hourStart = Date.now();
  #timer: NodeJS.Timeout | undefined;

  /** @param send gets at most 900 records at once, and an empty batch first @param processes the number of processes of the gateway */
  constructor(index: AccessIndex, send: (records: GatewayRecord[]) => void, processes = 1) {
    this.#index = index;
    this.#send = send;
    this.#budget = new RecordBudget(processes);
    this.#mostOfStrangers = Math.ceil(MOST_OF_STRANGERS / processes);
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
    this.#endMinute(Date.now());
    this.#writeLate(Date.now());
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

  /** Queues the visit's own record, or its summary record, to be written within a second. */
  queue(visit: Visit): void {
    if (visit.sum === null && visit.writtenCount < 0 && !visit.queued) this.#admit(visit);
    this.#write(visit.sum ?? visit);
  }

  /** Ends a visit. Idempotent. @param reason why the gateway ended it; empty otherwise */
  close(visit: Visit, reason: ProxyErrorReason | ''): void {
    if (!this.#open.delete(visit)) return;
    visit.endedAt = Date.now();
    visit.reason = reason;
    visit.meter?.measure(visit);
    visit.meter = visit.active = null;
    // Every request failed: each is a refusal.
    if (visit.count === 0 && visit.writtenCount < 0 && visit.sum === null) return;
    this.queue(visit);
    if (visit.sum === null) return;
    if (reason !== '' && visit.sum.reason !== reason) this.#sumUpCut(visit, visit.sum);
    visit.sum.end(visit);
    this.#write(visit.sum);
  }

  /** Moves a visit that the gateway ended to the summary record of its reason. */
  #sumUpCut(visit: Visit, before: VisitSum): void {
    if (before.visits === 1) {
      before.reason = visit.reason;
      for (const records of [this.#ofMinute, this.#ofHour])
        for (const [key, each] of records) if (each === before) records.delete(key);
      return;
    }
    before.remove(visit);
    this.#sumUp(visit, this.#budget.room(visit.companyId ?? 0, visit.userId ?? 0));
    this.#write(before);
  }

  /** Cuts a company's visit by its record, or all visits of its user (the feed's event `end`). */
  end({ companyId, record, user }: VisitEndEvent): void {
    for (const visit of [...this.#open]) {
      if (visit.companyId !== companyId || ((visit.sum ?? visit).id !== record && visit.userId !== user))
        continue;
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
    if (caller === undefined) return this.#refuseStranger(reason, address);
    const target = parseAuthority(authority);
    const asked = /^[\w.:[\]-]{1,253}$/.test(authority) ? authority.toLowerCase() : '';
    const { host, port } = target ?? { host: asked, port: 0 };
    const { userId, client } = caller;
    const company = this.#index.users.get(userId)?.company;
    // The company of a deleted user, and whether it stores addresses, is unknown.
    const stored = storedAddress(address, company?.addresses ?? 'network');
    const key = `${userId} ${client ?? ''} ${host} ${port} ${reason} ${stored}`;
    let group = this.#ofMinute.get(key);
    if (group === undefined) {
      const companyId = company?.id;
      const siteId = company && target ? siteCovering(company, target.host, port, null) : null;
      const room = this.#budget.room(companyId ?? 0, userId);
      const isOfSite = company?.patterns.has(host) === true;
      if (room === 'single' && (isOfSite || this.#budget.names(companyId ?? 0, userId, host))) {
        this.#budget.take(companyId ?? 0, userId);
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
      return repeated(this.#capped);
    }
    if (group === undefined) {
      group = new Visit('refusal', address, '', 0);
      group.reason = reason;
      this.#ofStrangers.set(key, group);
    }
    this.#repeat(group);
  }

  /** Counts a refusal of a group. The first refusal queues the record. */
  #repeat(group: Visit): void {
    if (group.writtenCount < 0) this.#write(group);
    repeated(group);
  }

  /** Gives a visit its own record if the budget allows it, else a summary record. */
  #admit(visit: Visit): void {
    const { companyId = 0, userId = 0 } = visit;
    const room = this.#budget.room(companyId, userId);
    if (room === 'single') this.#budget.take(companyId, userId);
    else this.#sumUp(visit, room);
  }

  #sumUp(visit: Visit, room: RecordRoom): void {
    const { kind, companyId, userId, siteId, policyId, proxyId, client, host, port, reason } = visit;
    const keys = [
      `visits ${userId} ${siteId ?? `${host}:${port}`} ${policyId} ${proxyId} ${reason}`,
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
   * Finds the summary record of this minute, or creates it if the budget allows it. Otherwise finds or creates the record of this hour.
   * @param keys the keys of the two records
   */
  #summed<V extends Visit>(
    room: RecordRoom,
    { companyId = 0, userId = 0 }: Pick<Visit, 'companyId' | 'userId'>,
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

  #write(visit: Visit): void {
    if (visit.queued) return;
    visit.queued = true;
    // Its visits may begin and end many times a second.
    if (visit.writtenCount >= 0 && visit instanceof VisitSum) return void this.#late.add(visit);
    this.#enqueue(visit);
  }

  #enqueue(visit: Visit): void {
    if (this.#changed.push(visit) === BATCH) setImmediate(() => this.#flush());
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
    if (Math.abs(now - this.#minuteStart) >= WINDOW_MS) this.#endMinute(now);
    if (Math.abs(now - this.#lateStart) >= LATE_MS) this.#writeLate(now);
    this.#flush();
  }

  #writeLate(now: number): void {
    this.#lateStart = now;
    for (const sum of this.#late) this.#enqueue(sum);
    this.#late.clear();
  }

  #endMinute(now: number): void {
    this.#minuteStart = now;
    for (const groups of [this.#ofMinute, this.#ofHour, this.#ofStrangers])
      for (const group of groups.values()) if (group.count > group.writtenCount) this.#write(group);
    if (this.#capped !== null) this.#write(this.#capped);
    this.#capped = null;
    this.#ofMinute.clear();
    this.#ofStrangers.clear();
    this.#budget.endMinute(now);
    if (Math.abs(now - this.#hourStart) < HOUR_MS) return;
    this.#hourStart = now;
    this.#ofHour.clear();
    this.#budget.endHour();
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
