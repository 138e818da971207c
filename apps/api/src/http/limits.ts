import { createHash } from 'node:crypto';
import { subscriberOf } from '@propusk/overload/networks';
import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../core/errors.ts';
import { createFairQueue, type Lane, strangers } from '../core/fair-queue.ts';
import { tooMany } from '../core/too-many.ts';

/** How many tries a key has, and in how many minutes. A key is counted in the database: all api processes share it. */
const budgets = {
  /** Password checks of one account from one address; the right password clears it. */
  passwordPair: { tries: 10, minutes: 15 },
  /** Wrong passwords from one address, for whatever accounts. */
  passwordAddress: { tries: 100, minutes: 15 },
  /** Wrong passwords of one account, from whatever addresses. */
  passwordAccount: { tries: 100, minutes: 15 },
  /** Wrong passwords with one device mark, whatever strangers have spent of the budgets above. */
  passwordDevice: { tries: 10, minutes: 15 },
  /** Wrong codes of one person's second factor, from whatever addresses: of a million codes three are right at a time. */
  code: { tries: 20, minutes: 60 },
  registration: { tries: 20, minutes: 60 },
  /** Links sent to one mailbox at the word of one address, whether or not it has an account; and at anybody's. */
  linkPair: { tries: 3, minutes: 15 },
  linkEmail: { tries: 10, minutes: 15 },
  linkAddress: { tries: 10, minutes: 15 },
  /** Links to one mailbox in a day; after them only `linkSlow` sends. */
  linkDay: { tries: 100, minutes: 1_440 },
  /** The reserve of a mailbox that no caller's other budgets count against. */
  linkMinute: { tries: 1, minutes: 1 },
  /** The reserve after `linkDay`. A link lives 10 minutes, so that the mailbox always has one that works. */
  linkSlow: { tries: 1, minutes: 5 },
  /** Links out of the reserves at the word of one address. */
  linkReserve: { tries: 30, minutes: 60 },
  redeem: { tries: 30, minutes: 15 },
  /** Calls out at the word of one person: probes of sites and of proxies, and each way out that is learned. */
  probe: { tries: 60, minutes: 5 },
  /** Codes for the extension of one person: each session that ends is news for every gateway. */
  pairing: { tries: 20, minutes: 15 },
} as const;
type Budget = keyof typeof budgets;

/**
 * Counting in the database: two callers at once, so that a crowd leaves the pool to others. Per network, as many wait as
 * an office signs in at once; in all, a second's work or two.
 */
const COUNTING = { atOnce: 2, ofLane: 200, ofAll: 1_000 };

/** Who tries a password. */
interface Attempt {
  readonly email: string;
  readonly address: string;
  /** The id of a device mark of this very account, when the caller has one. */
  readonly device?: string | undefined;
}

/** What is refused when it is tried too often. Every refusal is AppError too_many_requests with `retryAfter`. */
export interface Limits {
  /**
   * Runs a check of a password unless the account or the address has used up its tries. The try is taken before the
   * check, so that many at once are no more than one after another, and given back when the password is right. A device
   * mark has a budget of its own, before the others.
   * @param check given the lane in which it waits for its argon2id
   */
  checkPassword(attempt: Attempt, check: (lane: Lane) => Promise<boolean>): Promise<boolean>;
  /** The same for somebody who is signed in: what strangers try on the account does not count against them. */
  checkOwnPassword(email: string, address: string, check: (lane: Lane) => Promise<boolean>): Promise<boolean>;
  /** Runs a check of a code of somebody whose password was right, in the same way. */
  checkCode(userId: number, check: () => Promise<boolean>): Promise<boolean>;
  /** Forgets what was tried on an account: its holder has proved to be one in another way. */
  forgive(email: string, address: string): Promise<void>;
  countRegistration(address: string): Promise<void>;
  /** @param email as typed: an address without an account is counted alike */
  countLink(email: string, address: string): Promise<void>;
  countRedeem(address: string): Promise<void>;
  /** @param calls how many calls out it makes; more than there are tries count as all of them */
  countProbe(userId: number, calls?: number): Promise<void>;
  countPairing(userId: number): Promise<void>;
}

/** A try to count: its budget, and whose it is. */
type Want = readonly [Budget, string];

/** A try that was counted. */
interface Taken {
  readonly budget: Budget;
  readonly key: string;
  /** When its window ends, in milliseconds since 1970; the count goes with it. */
  readonly until: number;
}

/** Limits over the table `rate_limits`. A database that is away throws: nothing is let through uncounted. */
export function createLimits(pool: pg.Pool): Limits {
  const limiter = (budget: Budget) =>
    new RateLimiterPostgres({
      storeClient: pool,
      tableName: 'rate_limits',
      tableCreated: true,
      // The reaper removes expired rows of every table.
      clearExpiredByTimeout: false,
      keyPrefix: budget,
      points: budgets[budget].tries,
      duration: budgets[budget].minutes * 60,
    });
  const limiters = Object.fromEntries(
    Object.keys(budgets).map((budget) => [budget, limiter(budget as Budget)]),
  ) as Record<Budget, RateLimiterPostgres>;
  const inTurn = createFairQueue(COUNTING);

  async function take(budget: Budget, key: string, points = 1): Promise<Taken> {
    try {
      const { msBeforeNext } = await limiters[budget].consume(key, points);
      return { budget, key, until: Date.now() + msBeforeNext };
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      // What is refused whole leaves room for smaller ones.
      if (points > 1) await limiters[budget].reward(key, points);
      throw tooMany(error.msBeforeNext);
    }
  }

  async function giveBack({ budget, key, until }: Taken): Promise<void> {
    // In a window that has just ended it would be one try too many for the next one.
    if (Date.now() < until - 1_000) await limiters[budget].reward(key);
  }

  /** Takes one try of each; where one is refused, the others are as before. */
  async function takeAll(wanted: readonly Want[]): Promise<Taken[]> {
    // Together: the database writes them to its disk as one.
    const tries = await Promise.allSettled(wanted.map(([budget, key]) => take(budget, key)));
    const taken = tries.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
    const refused = tries.find((each) => each.status === 'rejected');
    if (refused === undefined) return taken;
    await Promise.all(taken.map(giveBack));
    throw refused.reason;
  }

  /**
   * Moves the end of a live window that has tries left. Windows that begin with their first try would let twice as many
   * through around the end of one: these end only when nothing was tried for their whole length.
   */
  async function prolong(budget: Budget, key: string): Promise<void> {
    const { tries, minutes } = budgets[budget];
    await pool.query(
      'update rate_limits set expire = $2 where key = $1 and points < $3 and expire > $4 and expire < $2',
      [limiters[budget].getKey(key), Date.now() + minutes * 60_000, tries, Date.now()],
    );
  }

  /** Runs a check whose tries are taken; a wrong password keeps them. @param cleared the key that a right one clears */
  async function spend(taken: Taken[], cleared: Taken, check: () => Promise<boolean>): Promise<boolean> {
    let right: boolean;
    try {
      right = await check();
    } catch (error) {
      // The check failed without a result: refund the tries. Where this fails too, the counts stay too high.
      await Promise.allSettled(taken.map(giveBack));
      throw error;
    }
    if (!right) return false;
    const others = taken.filter((each) => each !== cleared);
    await Promise.all([limiters[cleared.budget].delete(cleared.key), ...others.map(giveBack)]);
    return true;
  }

  /** Takes tries in the caller's turn, the first of them from a budget that each try prolongs. */
  const takeInTurn = (lane: Lane, wanted: readonly [Want, ...Want[]]): Promise<Taken[]> =>
    inTurn(lane, async () => {
      await prolong(...wanted[0]);
      return takeAll(wanted);
    });

  /** Takes tries and checks with them. @returns the refusal when a budget is spent */
  async function tryWith(
    lane: Lane,
    wanted: readonly [Want, ...Want[]],
    check: () => Promise<boolean>,
  ): Promise<boolean | AppError> {
    let taken: Taken[];
    try {
      taken = await takeInTurn(lane, wanted);
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_many_requests') return error;
      throw error;
    }
    return spend(taken, taken[0] as Taken, check);
  }

  /** Takes a link from the budgets of its mailbox and address, or from the mailbox's reserve. */
  async function takeLink(email: string, address: string): Promise<void> {
    const [mailbox, subscriber] = [hash(fold(email)), hash(subscriberOf(address))];
    const reserved: Want = ['linkReserve', subscriber];
    const ways: readonly (readonly Want[])[] = [
      [
        ['linkAddress', subscriber],
        ['linkPair', pairKey(email, address)],
        ['linkEmail', mailbox],
        ['linkDay', mailbox],
      ],
      [['linkMinute', mailbox], reserved, ['linkDay', mailbox]],
      [['linkSlow', mailbox], reserved],
    ];
    // A day's budget that is not spent is no reason to send faster than a minute apart.
    let refused: unknown;
    for (const wanted of (await isSpent('linkDay', mailbox)) ? ways.slice(2) : ways.slice(0, 2)) {
      try {
        await takeAll(wanted);
        return;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused = error;
      }
    }
    throw refused;
  }

  async function isSpent(budget: Budget, key: string): Promise<boolean> {
    const counted = await limiters[budget].get(key);
    return counted !== null && counted.consumedPoints >= budgets[budget].tries;
  }

  async function checkPassword(
    { email, address, device }: Attempt,
    check: (lane: Lane) => Promise<boolean>,
  ): Promise<boolean> {
    if (device !== undefined) {
      const lane: Lane = { known: true, line: hash(fold(email)) };
      const outcome = await tryWith(lane, [['passwordDevice', hash(device)]], () => check(lane));
      if (typeof outcome === 'boolean') return outcome;
    }
    const lane = strangers(address);
    const outcome = await tryWith(lane, passwordWants(email, address), () => check(lane));
    if (typeof outcome === 'boolean') return outcome;
    throw outcome;
  }

  return {
    checkPassword,
    async checkOwnPassword(email, address, check) {
      const pair = pairKey(email, address);
      const lane: Lane = { known: true, line: hash(fold(email)) };
      const outcome = await tryWith(lane, [['passwordPair', pair]], () => check(lane));
      if (typeof outcome === 'boolean') return outcome;
      throw outcome;
    },
    // Right ones clear nothing: their holder signs in every day, and whoever guesses must not be given new tries by that.
    async checkCode(userId, check) {
      const taken = await take('code', String(userId));
      const right = await check().catch(async (error: unknown) => {
        await giveBack(taken);
        throw error;
      });
      if (right) await giveBack(taken);
      return right;
    },
    async forgive(email, address) {
      await limiters.passwordPair.delete(pairKey(email, address));
      await limiters.passwordAccount.delete(hash(fold(email)));
    },
    async countRegistration(address) {
      await inTurn(strangers(address), () => take('registration', hash(subscriberOf(address))));
    },
    countLink: (email, address) => inTurn(strangers(address), () => takeLink(email, address)),
    async countRedeem(address) {
      await inTurn(strangers(address), () => take('redeem', hash(subscriberOf(address))));
    },
    async countProbe(userId, calls = 1) {
      await take('probe', String(userId), Math.min(calls, budgets.probe.tries));
    },
    async countPairing(userId) {
      await take('pairing', String(userId));
    },
  };
}

// As the column folds it (citext): another spelling of an account is the same account.
const fold = (email: string) => email.trim().toLowerCase();

/** The database learns no address and no email from a key. */
function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

const pairKey = (email: string, address: string) => hash(fold(email), subscriberOf(address));

const passwordWants = (email: string, address: string): readonly [Want, ...Want[]] => [
  ['passwordPair', pairKey(email, address)],
  ['passwordAddress', hash(subscriberOf(address))],
  ['passwordAccount', hash(fold(email))],
];
