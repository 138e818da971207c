import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from './errors.ts';
import { createQueue } from './queue.ts';

/** How many tries a key has, and in how many minutes. A key is counted in the database: all api processes share it. */
const budgets = {
  /** Password checks of one account from one address; the right password clears it. */
  passwordPair: { tries: 10, minutes: 15 },
  /** Wrong passwords from one address, for whatever accounts. */
  passwordAddress: { tries: 100, minutes: 15 },
  /** Wrong passwords of one account, from whatever addresses. */
  passwordAccount: { tries: 100, minutes: 15 },
  /** Wrong codes of one person's second factor, from whatever addresses: of a million codes three are right at a time. */
  code: { tries: 20, minutes: 60 },
  registration: { tries: 20, minutes: 60 },
  /** Links sent to one mailbox at the word of one address, whether or not it has an account; and at anybody's. */
  linkPair: { tries: 3, minutes: 15 },
  linkEmail: { tries: 10, minutes: 15 },
  linkAddress: { tries: 10, minutes: 15 },
  redeem: { tries: 30, minutes: 15 },
  /** Calls out at the word of one person: probes of sites and of proxies, and each way out that is learned. */
  probe: { tries: 60, minutes: 5 },
  /** Codes for the extension of one person: each session that ends is news for every gateway. */
  pairing: { tries: 20, minutes: 15 },
} as const;
type Budget = keyof typeof budgets;

/** What is refused when it is tried too often. Every refusal is AppError too_many_requests with `retryAfter`. */
export interface Limits {
  /**
   * Runs a check of a password unless the account or the address has used up its tries. The try is taken before the
   * check, so that many at once are no more than one after another, and given back when the password is right.
   */
  checkPassword(email: string, address: string, check: () => Promise<boolean>): Promise<boolean>;
  /** The same for somebody who is signed in: what strangers try on the account does not count against them. */
  checkOwnPassword(email: string, address: string, check: () => Promise<boolean>): Promise<boolean>;
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
  // A crowd that comes from one address waits for one row, and must not do so on every connection of the pool.
  const inTurn = createQueue(1, Number.POSITIVE_INFINITY);

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
  async function takeAll(wanted: readonly (readonly [Budget, string])[]): Promise<Taken[]> {
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

  async function checked(
    email: string,
    address: string,
    check: () => Promise<boolean>,
    wider: readonly (readonly [Budget, string])[],
  ): Promise<boolean> {
    const pair = hash(fold(email), network(address));
    const taken = await inTurn(0, async () => {
      await prolong('passwordPair', pair);
      return takeAll([['passwordPair', pair], ...wider]);
    });
    let right: boolean;
    try {
      right = await check();
    } catch (error) {
      // Nobody learnt whether it was right: it was no try. Where this fails too, the count stays too high.
      await Promise.allSettled(taken.map(giveBack));
      throw error;
    }
    if (!right) return false;
    // What is right clears the first, and takes its try from the others.
    const others = taken.filter(({ key }) => key !== pair);
    await Promise.all([limiters.passwordPair.delete(pair), ...others.map(giveBack)]);
    return true;
  }

  return {
    checkPassword: (email, address, check) =>
      checked(email, address, check, [
        ['passwordAddress', hash(network(address))],
        ['passwordAccount', hash(fold(email))],
      ]),
    checkOwnPassword: (email, address, check) => checked(email, address, check, []),
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
      await limiters.passwordPair.delete(hash(fold(email), network(address)));
      await limiters.passwordAccount.delete(hash(fold(email)));
    },
    async countRegistration(address) {
      await take('registration', hash(network(address)));
    },
    async countLink(email, address) {
      await takeAll([
        ['linkAddress', hash(network(address))],
        ['linkPair', hash(fold(email), network(address))],
        ['linkEmail', hash(fold(email))],
      ]);
    },
    async countRedeem(address) {
      await take('redeem', hash(network(address)));
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

/**
 * Whom an address stands for: an IPv4 address, also when it is mapped into IPv6 (RFC 4291 section 2.5.5.2), or the /64 of
 * an IPv6 one, which one subscriber has whole (RFC 6177). What is no address, as a proxy may hand on, is all one.
 */
export function network(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  return `${ip.toByteArray().slice(0, 8).join('.')}/64`;
}

const plural = new Intl.PluralRules('ru');
const minuteForms: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'минуту', few: 'минуты' };

function tooMany(ms: number): AppError {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  return new AppError('too_many_requests', {
    message: `Слишком много попыток. Попробуйте снова через ${minutes} ${minuteForms[plural.select(minutes)] ?? 'минут'}`,
    retryAfter: Math.max(1, Math.ceil(ms / 1000)),
  });
}
