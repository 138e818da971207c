/**
 * How many records a user and a company may make. Each has a bucket of tokens that refills steadily: a new record takes a token of
 * both. A gateway of several processes divides the budgets among them.
 */

interface Budget {
  /** The tokens of a full bucket. */
  readonly most: number;
  readonly perMinute: number;
  /** Below this number of tokens a new record must sum up several visits. */
  readonly reserve: number;
}

/** docs/operating.md states the bytes that these allow in a day. */
const USER: Budget = { most: 2_000, perMinute: 20, reserve: 40 };
const COMPANY: Budget = { most: 20_000, perMinute: 150, reserve: 1_000 };
/** The most distinct hosts that refusals name in an hour. Hosts of the company's sites do not count. */
const HOSTS = { ofUser: 400, ofCompany: 1_000 };

/** The records that may begin: `single` ones, only `summed` ones, or none. */
export type RecordRoom = 'single' | 'summed' | 'none';

class Bucket {
  readonly #budget: Budget;
  readonly #share: number;
  #tokens: number;
  #at = Date.now();

  /** @param share the part of the budget that this process has */
  constructor(budget: Budget, share: number) {
    this.#budget = budget;
    this.#share = share;
    this.#tokens = budget.most * share;
  }

  /** Adds the tokens of the time since the last call. @returns whether the bucket is full */
  refill(now: number): boolean {
    const { most, perMinute } = this.#budget;
    // A clock that was set back adds none.
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
  // grows: by users, by users and companies with records; bound: those of the snapshot; at the bound: full ones are removed
  // each minute
  readonly #users = new Map<number, Bucket>();
  // grows: by owners, by companies with records; bound: those of the snapshot; at the bound: full ones are removed each minute
  readonly #companies = new Map<number, Bucket>();
  // grows: by users, by hosts of refusals; bound: 1,000 for each company, emptied each hour; at the bound: further hosts are
  // recorded as `*`
  readonly #hosts = new Map<number, Set<string>>();
  /** The hosts that a user was the first to name. */
  // grows: by users with refusals; bound: the users of the snapshot, emptied each hour; at the bound: does not grow
  readonly #hostsOfUser = new Map<number, number>();

  /** @param processes of this gateway */
  constructor(processes: number) {
    this.#share = 1 / processes;
  }

  /** The records that the user of a company may begin now. */
  room(companyId: number, userId: number): RecordRoom {
    const now = Date.now();
    const buckets = this.#buckets(companyId, userId);
    for (const bucket of buckets) bucket.refill(now);
    const rooms = ['single', 'summed'] as const;
    return rooms.find((room) => buckets.every((bucket) => bucket.has(room))) ?? 'none';
  }

  /** Takes a token of the user and of the company for a record. */
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

  /** Forgets the hosts that refusals named. */
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
