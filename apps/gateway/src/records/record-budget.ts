/**
 * The number of records that a user and a company may make. Each has a token bucket that refills steadily: a new record takes a token
 * from both. A gateway of several processes divides the budgets among them.
 */

interface Budget {
  /** The tokens of a full bucket. */
  readonly most: number;
  readonly perMinute: number;
  /** Below this number of tokens a new record must be a summary record. */
  readonly reserve: number;
}

/** docs/operating/reference.md states how many bytes a day these budgets allow. */
const USER: Budget = { most: 2_000, perMinute: 20, reserve: 40 };
const COMPANY: Budget = { most: 20_000, perMinute: 150, reserve: 1_000 };
/**
 * The maximum number of different hosts that records of refusals name in an hour. Hosts of the company's own sites do not count.
 */
const HOSTS = { ofUser: 400, ofCompany: 1_000 };

/** The records that may begin: any record (`single`), only summary records (`summed`), or none. */
export type RecordRoom = 'single' | 'summed' | 'none';

class Bucket {
  readonly #budget: Budget;
  readonly #share: number;
  #tokens: number;
  #at = Date.now();

  /** @param share the fraction of the budget that this process has */
  constructor(budget: Budget, share: number) {
    this.#budget = budget;
    this.#share = share;
    this.#tokens = budget.most * share;
  }

  /** Adds the tokens of the time since the last call. @returns whether the bucket is full */
  refill(now: number): boolean {
    const { most, perMinute } = this.#budget;
    // If the clock was set back, no tokens are added.
    const came = (Math.max(0, now - this.#at) / 60_000) * perMinute * this.#share;
    this.#at = now;
    this.#tokens = Math.min(most * this.#share, this.#tokens + came);
    return this.#tokens >= most * this.#share;
  }

  has(room: RecordRoom): boolean {
    return this.#tokens >= (room === 'single' ? this.#budget.reserve * this.#share : 0) + 1;
  }

  take(): void {
    this.#tokens -= 1;
  }
}

export class RecordBudget {
  readonly #share: number;
  // Grows with users with records. Bound: the users of the snapshot. At the bound: full buckets are removed each minute
  readonly #users = new Map<number, Bucket>();
  // Grows with companies with records. Bound: the companies of the snapshot. At the bound: full buckets are removed each minute
  readonly #companies = new Map<number, Bucket>();
  // Grows with hosts of users' refusals. Bound: 1,000 for each company, emptied each hour. At the bound: further hosts are
  // recorded as `*`
  readonly #hosts = new Map<number, Set<string>>();
  /** The number of hosts in `#hosts` that each user added. */
  // Grows with users with refusals. Bound: the users of the snapshot. At the bound: no further user exists; emptied each hour
  readonly #hostsOfUser = new Map<number, number>();

  /** @param processes the number of processes of this gateway */
  constructor(processes: number) {
    this.#share = 1 / processes;
  }

  /** Returns which records the user of a company may begin now. */
  room(companyId: number, userId: number): RecordRoom {
    const now = Date.now();
    const buckets = this.#buckets(companyId, userId);
    for (const bucket of buckets) bucket.refill(now);
    const rooms = ['single', 'summed'] as const;
    return rooms.find((room) => buckets.every((bucket) => bucket.has(room))) ?? 'none';
  }

  /** Takes a token from the user and from the company. */
  take(companyId: number, userId: number): void {
    for (const bucket of this.#buckets(companyId, userId)) bucket.take();
  }

  #buckets(companyId: number, userId: number): [Bucket, Bucket] {
    return [
      kept(this.#users, userId, () => new Bucket(USER, this.#share)),
      kept(this.#companies, companyId, () => new Bucket(COMPANY, this.#share)),
    ];
  }

  /** Whether a refusal of this hour may name the host. */
  names(companyId: number, userId: number, host: string): boolean {
    const hosts = kept(this.#hosts, companyId, () => new Set<string>());
    if (hosts.has(host)) return true;
    const own = this.#hostsOfUser.get(userId) ?? 0;
    if (own >= HOSTS.ofUser * this.#share || hosts.size >= HOSTS.ofCompany * this.#share) return false;
    hosts.add(host);
    this.#hostsOfUser.set(userId, own + 1);
    return true;
  }

  /** Removes the buckets that are full. */
  endMinute(now: number): void {
    for (const buckets of [this.#users, this.#companies])
      for (const [id, bucket] of buckets) if (bucket.refill(now)) buckets.delete(id);
  }

  /** Removes the hosts that refusals named. */
  endHour(): void {
    this.#hosts.clear();
    this.#hostsOfUser.clear();
  }
}

function kept<V>(map: Map<number, V>, id: number, make: () => V): V {
  const known = map.get(id);
  if (known !== undefined) return known;
  const made = make();
  map.set(id, made);
  return made;
}
