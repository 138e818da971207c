import { sql } from 'kysely';
import { AppError, tooMany } from '../core/errors.ts';
import { createFairQueue, type Lane, strangers } from '../core/fair-queue.ts';
import type { Db } from '../db/open.ts';
import { type Budget, type Key, keyOf, type Owner, type Redeemed } from './budgets.ts';

/**
 * Limits of the queue in which charges of rate limits wait. At most two charges run at once, so that the other pool connections
 * stay free. A lane (the queue of one caller) holds 200 charges, enough for an office that signs in from one address at the same
 * time. All lanes together hold 1,000 charges, which run in one or two seconds.
 */
const COUNTING = { atOnce: 2, ofLane: 200, ofAll: 1_000 };

const dead: ReadonlySet<string> = new Set(['link_dead', 'lock_link_dead', 'invitation_dead', 'unauthorized']);

/** Rate limit keys that are charged together, and the lane (the queue of one caller) in which the charge waits. */
interface Way {
  readonly keys: readonly Key[];
  readonly lane?: Lane;
}

/**
 * An attempt that was charged to one or more rate limit keys. With `await using`, the end of the block refunds the
 * charge, unless `keep` was called. Without `await using`, only `succeed` refunds the charge.
 */
interface Attempt<W extends Way = Way> extends AsyncDisposable {
  /** The argument of `begin` whose keys were charged: `way` or `preferred`. */
  readonly way: W;
  /** The attempts left in the window of a charged key. */
  left(key: Key): number;
  /**
   * Charges the same attempt to more keys. `keep`, `succeed` and the end of the `await using` block apply to all charged keys.
   * @throws AppError too_many_requests
   */
  charge(...keys: Key[]): Promise<void>;
  /** Prevents the refund of the charge, for example after a wrong password. @returns `outcome` */
  keep<T>(outcome: T): T;
  /**
   * Refunds the charge of a successful attempt in the background, and resets the counter of each key whose `resets` is true.
   * The end of the `await using` block waits for the refund.
   */
  succeed(): void;
}

/** Counts attempts in the table `rate_limits`. Without a database, every attempt is refused with an error. */
export interface Throttle {
  /** Charges one key without waiting in the queue. @throws AppError too_many_requests with `retryAfter` */
  charge<B extends Budget>(budget: B, ...owner: Owner<B>): Promise<Attempt>;
  /**
   * Charges an attempt to all keys of `way` before the password or code is checked, so that concurrent attempts
   * cannot exceed a budget. If one key is exhausted, no key is charged.
   * @param preferred keys to charge instead of `way`; if one of these keys is exhausted, `way` is charged
   * @throws AppError too_many_requests with `retryAfter` when a key of `way` is exhausted; busy when too many callers wait
   */
  begin<W extends Way>(way: W, preferred?: W | false): Promise<Attempt<W>>;
  /**
   * Redeems a link or code, and charges `address` only if the link or code is invalid. An office behind one address can therefore
   * use any number of valid links.
   * @throws the error of `redeem`; the error of `begin` when `address` has no attempts left for invalid links or codes
   */
  redeeming<T>(kind: Redeemed, address: string, redeem: () => Promise<T>): Promise<T>;
  /** Returns the milliseconds until `key` allows an attempt; 0 when an attempt is allowed now. */
  wait(key: Key, lane?: Lane): Promise<number>;
  /** Resets counters, for example of the password limits after a user has set a new password through a link. */
  reset(...keys: Key[]): Promise<void>;
}

interface Charge {
  readonly key: Key;
  /** The end of the window of `key`, in milliseconds since 1970. */
  readonly until: number;
  readonly left: number;
}

/** Creates the throttle of one api process. */
export function createThrottle(db: Db): Throttle {
  const queue = createFairQueue(COUNTING);
  const inTurn = <T>(lane: Lane | undefined, work: () => Promise<T>) =>
    lane === undefined ? work() : queue(lane, work);

  async function chargeEither<W extends Way>(way: W, preferred: W | false): Promise<[W, Charge[]]> {
    const chosen = preferred === false ? way : preferred;
    try {
      return [chosen, await inTurn(chosen.lane, () => charge(db, chosen.keys))];
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === 'too_many_requests';
      if (chosen === way || !isRefused) throw error;
      return chargeEither(way, false);
    }
  }

  const begin: Throttle['begin'] = async (given, preferred = false) => {
    const [way, charges] = await chargeEither(given, preferred);
    let settled: Promise<void> | undefined;
    const settle = (resets: (key: Key) => boolean) =>
      // Ignores a failed refund: the counts then stay too high, which allows no extra attempts.
      (settled ??= refund(db, charges, resets).catch(() => {}));
    return {
      way,
      left: (key) => charges.find((each) => each.key === key)?.left ?? 0,
      charge: async (...keys) => void charges.push(...(await charge(db, keys))),
      keep(outcome) {
        settled = Promise.resolve();
        return outcome;
      },
      succeed: () => void settle((key) => key.resets === true),
      [Symbol.asyncDispose]: () => settle(() => false),
    };
  };

  return {
    begin,
    charge: (budget, ...owner) => begin({ keys: [keyOf(budget, ...owner)] }),
    async redeeming(kind, address, redeem) {
      try {
        return await redeem();
      } catch (error) {
        if (error instanceof AppError && dead.has(error.code))
          await begin({ lane: strangers(address), keys: [keyOf('redeemed', kind, address)] });
        throw error;
      }
    },
    wait: (key, lane) =>
      inTurn(lane, async () => {
        const [{ attempts, ms } = { attempts: 0, ms: 0 }] = await left(db, [key]);
        return attempts === 0 ? ms : 0;
      }),
    reset: (...keys) => {
      const charges = keys.map((key) => ({ key, until: 0, left: 0 }));
      return refund(db, charges, () => true);
    },
  };
}

/** Returns, for each key, the attempts left in its window, and the milliseconds until the window ends. Locks no counter. */
export async function left(db: Db, keys: readonly Key[]): Promise<{ attempts: number; ms: number }[]> {
  const now = Date.now();
  const { rows } = await sql<{ key: string; points: number; expire: number }>`select key, points, expire
    from rate_limits where key = any (${keys.map(({ name }) => name)}) and expire > ${now}`.execute(db);
  const spent = new Map(rows.map((row) => [row.key, row]));
  return keys.map((key) => {
    const { points = 0, expire = now } = spent.get(key.name) ?? {};
    return { attempts: Math.max(0, key.attempts - points), ms: expire - now };
  });
}

/**
 * Charges all keys or none, in one statement. In a transaction, a rollback refunds the charge. Rows are locked in the order of their
 * keys, so that concurrent charges do not deadlock. When concurrent charges together exceed a limit, a second statement refunds the later charge.
 */
export async function charge(db: Db, keys: readonly Key[]): Promise<Charge[]> {
  const now = Date.now();
  const of = <T>(value: (key: Key) => T) => keys.map(value);
  const extended = keys.filter((key) => key.extends).map(({ name }) => name);
  const { rows } = await sql<{ key: string; points: number; expire: number; charged: boolean }>`
    with wanted as (
      select * from unnest(${of(({ name }) => name)}::text[], ${of(({ points }) => points)}::int[],
        ${of(({ attempts }) => attempts)}::int[], ${of(({ minutes }) => now + minutes * 60_000)}::bigint[])
        as w (key, points, attempts, expire)
    ), spent as (
      select l.key, l.points + w.points, l.expire, false from rate_limits l join wanted w on w.key = l.key
      where l.expire > ${now} and l.points + w.points > w.attempts
    ), charged as (
      insert into rate_limits as l (key, points, expire)
      select key, points, expire from wanted where not exists (select from spent) order by key
      on conflict (key) do update set
        points = case when l.expire > ${now} then l.points else 0 end + excluded.points,
        expire = case when l.expire > ${now} and l.key <> all (${extended}::text[]) then l.expire else excluded.expire end
      returning key, points, expire, true as charged
    )
    select * from charged union all select * from spent`.execute(db);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const counted = keys.flatMap((key) => {
    const row = byKey.get(key.name);
    return row === undefined ? [] : [{ key, until: row.expire, left: key.attempts - row.points }];
  });
  const refused = counted.find(({ left }) => left < 0);
  if (refused === undefined) return counted;
  if (rows[0]?.charged === true) await refund(db, counted, () => false);
  throw tooMany(refused.until - now);
}

/** Refunds charges in one statement, and resets the counts of the keys that `resets` selects. */
async function refund(db: Db, charges: readonly Charge[], resets: (key: Key) => boolean): Promise<void> {
  const namesOf = (of: readonly Charge[]) => of.map(({ key }) => key.name);
  const names = namesOf(charges);
  const reset = namesOf(charges.filter(({ key }) => resets(key)));
  // Refunds only the charged time window, not a later window of the same key. A fixed window is identified by its end. The end of
  // an extending window moves, so its refund ends at the charged end: no later window can begin before that time.
  const extended = namesOf(charges.filter(({ key, until }) => key.extends && until > Date.now()));
  await sql`
    with own as (select key from rate_limits where key = any(${names}::text[]) order by key for update)
    update rate_limits l set points = greatest(l.points - w.points, 0),
      expire = case when l.key = any(${reset}::text[]) then 0 else l.expire end
    from own join unnest(${names}::text[], ${charges.map(({ key }) => key.points)}::int[],
      ${charges.map(({ until }) => until)}::bigint[]) as w (key, points, until) on w.key = own.key
    where l.key = own.key and (l.expire = w.until or l.key = any(${[...reset, ...extended]}::text[]))`.execute(
    db,
  );
}
