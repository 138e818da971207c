import { createHash } from 'node:crypto';
import { subscriberOf } from '@propusk/overload/networks';
import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { type Actor, isAdmin } from '../core/actor.ts';
import { AppError, tooMany } from '../core/errors.ts';
import { createFairQueue, type Lane, strangers } from '../core/fair-queue.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';

/** The attempts that a key may make, and the minutes of their window. The database counts keys for all api processes. */
const budgets = {
  /** Password checks of one account from one address; a right password resets it. */
  passwordPair: { attempts: 10, minutes: 15 },
  /** Wrong passwords from one address, for all accounts. */
  passwordAddress: { attempts: 100, minutes: 15 },
  /** Wrong passwords of one account, from all addresses. */
  passwordAccount: { attempts: 100, minutes: 15 },
  /** Wrong passwords with one device mark, independent of the budgets above. */
  passwordDevice: { attempts: 10, minutes: 15 },
  /** Wrong current passwords typed in one session; at the last one the session ends. */
  ownPasswordSession: { attempts: 10, minutes: 60 },
  /** Wrong current passwords of one account, in all its sessions. */
  ownPasswordAccount: { attempts: 20, minutes: 60 },
  /** Wrong current passwords with one device mark, instead of the account's budget: its user can still end a thief's sessions. */
  ownPasswordDevice: { attempts: 10, minutes: 60 },
  /** Wrong second-factor codes of one user, from all addresses. Of a million codes, three are valid at any time. */
  code: { attempts: 20, minutes: 60 },
  registration: { attempts: 20, minutes: 60 },
  /** Links to one mailbox requested by one address, and by all addresses. A mailbox without an account counts alike. */
  linkPair: { attempts: 3, minutes: 15 },
  linkEmail: { attempts: 10, minutes: 15 },
  linkAddress: { attempts: 10, minutes: 15 },
  /** Links to one mailbox in a day; after that only `linkSlow` sends. */
  linkDay: { attempts: 100, minutes: 1_440 },
  /** Further links to a mailbox after one of the budgets above is exhausted, so that strangers cannot block its user's links. */
  linkMinute: { attempts: 1, minutes: 1 },
  /** Links to a mailbox after `linkDay` is exhausted. A link is valid for 10 minutes, so the newest one always works. */
  linkSlow: { attempts: 1, minutes: 5 },
  /** Links by `linkMinute` and `linkSlow` that one address may request. */
  linkReserve: { attempts: 30, minutes: 60 },
  /** Dead links or wrong codes of one kind from one address. */
  redeemed: { attempts: 30, minutes: 15 },
  /** Outbound calls requested by one user: probes of sites and proxies, and each lookup of an egress address. */
  probe: { attempts: 60, minutes: 5 },
  /** Mails about changes of accounts: to one mailbox, and of one actor. */
  noticeMailbox: { attempts: 5, minutes: 60 },
  noticeActor: { attempts: 300, minutes: 60 },
  /** Pending changes of one company that shorten retention, each of which is mailed to its other owners. */
  recordsCut: { attempts: 10, minutes: 60 },
  /** Agents that one company invites: its owner may be a stranger, and a mailbox a stranger's. */
  invitation: { attempts: 500, minutes: 1_440 },
  invitationMailbox: { attempts: 5, minutes: 60 },
  /** The number of accounts of other companies that email_taken replies reveal to one user, and to one company. */
  takenUser: { attempts: 20, minutes: 60 },
  takenCompany: { attempts: 60, minutes: 60 },
  /** Pairing codes of one user: each ended session of the extension sends a change to every gateway. */
  pairing: { attempts: 20, minutes: 15 },
  /** Requests of one company to the operator, each of which is mailed. */
  tariffRequest: { attempts: 20, minutes: 1_440 },
} as const;
type Budget = keyof typeof budgets;
/** A kind of link or code. Each kind has a separate budget. */
type Redeemed = 'mailLink' | 'invitation' | 'lockLink' | 'pairingCode' | 'vantage';
const deadCodes: ReadonlySet<string> = new Set([
  'link_dead',
  'lock_link_dead',
  'invitation_dead',
  'unauthorized',
]);

/**
 * The queue for counting. Two callers at once leave the rest of the pool to others. 200 waiters of a network are an office
 * that signs in at once; 1,000 waiters are one or two seconds of work.
 */
const COUNTING = { atOnce: 2, ofLane: 200, ofAll: 1_000 };

/** An attempt at a password. */
interface Attempt {
  readonly email: string;
  readonly address: string;
  /** The id of the caller's verified device mark for this account. */
  readonly device?: string | undefined;
}

/** The rate limits. Each refusal is AppError too_many_requests with `retryAfter`. */
export interface Limits {
  /**
   * Runs a password check unless a budget of the account or address is exhausted. It charges the attempt before the check,
   * so that concurrent attempts cannot exceed the budget, and refunds it when the password is right. A device mark has
   * its own budget, which is charged first.
   * @param check receives the lane in which it queues for argon2id
   */
  checkPassword(attempt: Attempt, check: (lane: Lane) => Promise<boolean>): Promise<boolean>;
  /**
   * Checks the password of a signed-in user like `checkPassword`, with the budgets of the session and of the account.
   * @returns `last` for a wrong password that exhausted the session's budget
   */
  checkOwnPassword(
    attempt: { readonly email: string; readonly session: Buffer; readonly device?: string | undefined },
    check: (lane: Lane) => Promise<boolean>,
  ): Promise<'right' | 'wrong' | 'last'>;
  /** Runs the check of a second-factor code like `checkPassword`, for a user whose password was right. */
  checkCode(userId: number, check: () => Promise<boolean>): Promise<boolean>;
  /** Charges the invitations of a company, and the mailbox of each. @throws AppError too_many_requests */
  countInvitations(companyId: number, emails: readonly string[]): Promise<void>;
  /**
   * Runs a change that may answer email_taken, unless the budget of such replies is exhausted: then 429 precedes the look-up, so that
   * the reply reveals nothing. Changes of one company run in turn; an ADMIN, who sees all accounts, is not limited.
   * @param change gets the number of addresses that its refusal may name
   * @param revealed counts the addresses that have an account outside the actor's company
   */
  revealing<T>(
    actor: Actor,
    change: (most: number) => Promise<T>,
    revealed: () => Promise<number>,
  ): Promise<T>;
  /** Resets the budgets of an account whose holder has authenticated in another way. */
  forgive(email: string, address: string): Promise<void>;
  countRegistration(address: string): Promise<void>;
  /** @param email as entered: an address without an account counts alike */
  countLink(email: string, address: string): Promise<void>;
  /**
   * Runs the redemption of a link or code. Only a dead or wrong one is charged, so that an office behind one address is not
   * refused.
   */
  redeeming<T>(kind: Redeemed, address: string, redeem: () => Promise<T>): Promise<T>;
  /** @param calls the number of outbound calls; a number above the budget charges the whole budget */
  countProbe(userId: number, calls?: number): Promise<void>;
  countPairing(userId: number): Promise<void>;
  /** Charges the company for a request, and refunds it when `create` throws, for example for a duplicate. */
  countRequest<T>(companyId: number, create: () => Promise<T>): Promise<T>;
  /** The budget of pending changes that shorten retention. `demand` throws when none is left; `charge` counts a stored change. */
  recordsCut(companyId: number): Promise<{ demand(): void; charge(): Promise<unknown> }>;
  /**
   * Whether the mailbox may get a mail about a change of an account; `charge` counts it once the change is stored. Throws when the
   * actor has caused too many.
   */
  notice(
    actorId: number,
    mailbox: string,
  ): Promise<{ readonly allowed: boolean; charge(): Promise<unknown> }>;
}

/** The budget to charge, and the key within it. */
type BudgetKey = readonly [Budget, string];

/** A charged attempt. */
interface Charge {
  readonly budget: Budget;
  readonly key: string;
  readonly points: number;
  /** The end of its window, in milliseconds since 1970. */
  readonly until: number;
  /** The attempts left in its window. */
  readonly left: number;
}

/** Creates the limits on the table `rate_limits`. They fail closed: without a database, every attempt throws. */
export function createLimits(pool: pg.Pool): Limits {
  const limiter = (budget: Budget) =>
    new RateLimiterPostgres({
      storeClient: pool,
      tableName: 'rate_limits',
      tableCreated: true,
      // The reaper removes expired rows of every table.
      clearExpiredByTimeout: false,
      keyPrefix: budget,
      points: budgets[budget].attempts,
      duration: budgets[budget].minutes * 60,
    });
  const limiters = Object.fromEntries(
    Object.keys(budgets).map((budget) => [budget, limiter(budget as Budget)]),
  ) as Record<Budget, RateLimiterPostgres>;
  const inTurn = createFairQueue(COUNTING);
  const revealingInTurn = createKeyedLimiter(1, 100);

  async function charge(budget: Budget, key: string, points = 1): Promise<Charge> {
    try {
      const { msBeforeNext, remainingPoints } = await limiters[budget].consume(key, points);
      return { budget, key, points, until: Date.now() + msBeforeNext, left: remainingPoints };
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      // Refund a refused charge of several points, so that smaller ones still fit.
      if (points > 1) await limiters[budget].reward(key, points);
      throw tooMany(error.msBeforeNext);
    }
  }

  async function refund({ budget, key, points, until }: Charge): Promise<void> {
    // After its window ended, the refund would add an attempt to the next window.
    if (Date.now() < until - 1_000) await limiters[budget].reward(key, points);
  }

  /** Charges every budget. When one is exhausted, it refunds the others. */
  async function chargeAll(keys: readonly BudgetKey[]): Promise<Charge[]> {
    // Concurrently: the database flushes their commits together.
    const results = await Promise.allSettled(keys.map(([budget, key]) => charge(budget, key)));
    const charged = results.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
    const refused = results.find((each) => each.status === 'rejected');
    if (refused === undefined) return charged;
    await Promise.all(charged.map(refund));
    throw refused.reason;
  }

  /**
   * Extends a live window that has attempts left, so that it ends only after its whole length without attempts. A window of
   * fixed length would allow twice the attempts around its end.
   */
  async function extendWindow(budget: Budget, key: string): Promise<void> {
    const { attempts, minutes } = budgets[budget];
    await pool.query(
      'update rate_limits set expire = $2 where key = $1 and points < $3 and expire > $4 and expire < $2',
      [limiters[budget].getKey(key), Date.now() + minutes * 60_000, attempts, Date.now()],
    );
  }

  /**
   * Runs a check whose attempts are charged. A wrong password keeps the charges.
   * @param cleared the budget that a right password resets; null for none
   */
  async function checkCharged(
    charged: Charge[],
    cleared: Charge | null,
    check: () => Promise<boolean>,
  ): Promise<boolean> {
    let right: boolean;
    try {
      right = await check();
    } catch (error) {
      // The check failed without a result: refund the attempts. If the refund fails too, the counts stay too high.
      await Promise.allSettled(charged.map(refund));
      throw error;
    }
    if (!right) return false;
    const others = charged.filter((each) => each !== cleared);
    const reset = cleared && limiters[cleared.budget].delete(cleared.key);
    await Promise.all([reset, ...others.map(refund)]);
    return true;
  }

  /** Charges budgets in the caller's queue. Each attempt extends the window of the first budget. */
  const chargeInTurn = (lane: Lane, keys: readonly [BudgetKey, ...BudgetKey[]]): Promise<Charge[]> =>
    inTurn(lane, async () => {
      await extendWindow(...keys[0]);
      return chargeAll(keys);
    });

  /** Charges budgets and runs the check. @returns the refusal when a budget is exhausted */
  async function checkWithin(
    lane: Lane,
    keys: readonly [BudgetKey, ...BudgetKey[]],
    check: () => Promise<boolean>,
  ): Promise<boolean | AppError> {
    let charged: Charge[];
    try {
      charged = await chargeInTurn(lane, keys);
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_many_requests') return error;
      throw error;
    }
    return checkCharged(charged, charged[0] as Charge, check);
  }

  /** Charges a link to the budgets of its mailbox and address, or to `linkMinute` or `linkSlow` when one is exhausted. */
  async function chargeLink(email: string, address: string): Promise<void> {
    const [mailbox, subscriber] = [hash(fold(email)), hash(subscriberOf(address))];
    const reserved: BudgetKey = ['linkReserve', subscriber];
    const ways: readonly (readonly BudgetKey[])[] = [
      [
        ['linkAddress', subscriber],
        ['linkPair', pairKey(email, address)],
        ['linkEmail', mailbox],
        ['linkDay', mailbox],
      ],
      [['linkMinute', mailbox], reserved, ['linkDay', mailbox]],
      [['linkSlow', mailbox], reserved],
    ];
    // `linkSlow` applies only after `linkDay`; before, it would allow a link beyond `linkMinute`.
    let refused: unknown;
    for (const keys of (await isSpent('linkDay', mailbox)) ? ways.slice(2) : ways.slice(0, 2)) {
      try {
        await chargeAll(keys);
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
    return counted !== null && counted.consumedPoints >= budgets[budget].attempts;
  }

  async function checkPassword(
    { email, address, device }: Attempt,
    check: (lane: Lane) => Promise<boolean>,
  ): Promise<boolean> {
    if (device !== undefined) {
      const lane: Lane = { known: true, line: hash(fold(email)) };
      const outcome = await checkWithin(lane, [['passwordDevice', hash(device)]], () => check(lane));
      if (typeof outcome === 'boolean') return outcome;
    }
    const lane = strangers(address);
    const outcome = await checkWithin(lane, passwordKeys(email, address), () => check(lane));
    if (typeof outcome === 'boolean') return outcome;
    throw outcome;
  }

  return {
    checkPassword,
    async checkOwnPassword({ email, session, device }, check) {
      const account = hash(fold(email));
      const lane: Lane = { known: true, line: account };
      const ofSession: BudgetKey = ['ownPasswordSession', session.toString('base64url')];
      const chargeAlso = (key: BudgetKey) => chargeInTurn(lane, [key, ofSession]);
      const ofAccount = () => chargeAlso(['ownPasswordAccount', account]);
      const charged = await (device === undefined
        ? ofAccount()
        : chargeAlso(['ownPasswordDevice', hash(device)]).catch((error: unknown) => {
            if (error instanceof AppError) return ofAccount();
            throw error;
          }));
      const own = charged[1] as Charge;
      if (await checkCharged(charged, own, () => check(lane))) return 'right';
      return own.left === 0 ? 'last' : 'wrong';
    },
    // A right code does not reset the budget: the user's daily sign-ins must not renew the attempts of an attacker.
    async checkCode(userId, check) {
      return checkCharged([await charge('code', String(userId))], null, check);
    },
    async forgive(email, address) {
      await limiters.passwordPair.delete(pairKey(email, address));
      await limiters.passwordAccount.delete(hash(fold(email)));
      await limiters.ownPasswordAccount.delete(hash(fold(email)));
    },
    async countRegistration(address) {
      await inTurn(strangers(address), () => charge('registration', hash(subscriberOf(address))));
    },
    countLink: (email, address) => inTurn(strangers(address), () => chargeLink(email, address)),
    async redeeming(kind, address, redeem) {
      try {
        return await redeem();
      } catch (error) {
        if (error instanceof AppError && deadCodes.has(error.code)) {
          await inTurn(strangers(address), () => charge('redeemed', hash(kind, subscriberOf(address))));
        }
        throw error;
      }
    },
    async countInvitations(companyId, emails) {
      const ofCompany = await charge('invitation', String(companyId), emails.length);
      try {
        // The limit counts per company and mailbox, so that a company cannot block another company's invitations to the mailbox.
        // Notices to the user of the mailbox have a limit of their own.
        await chargeAll(emails.map((email) => ['invitationMailbox', hash(String(companyId), fold(email))]));
      } catch (error) {
        // Only this refusal is refunded. Later refusals may reveal which addresses have accounts.
        await refund(ofCompany);
        throw error;
      }
    },
    async revealing(actor, change, revealed) {
      const { userId, companyId } = actor;
      if (isAdmin(actor)) return change(Number.POSITIVE_INFINITY);
      const ofCompany: BudgetKey[] = companyId === null ? [] : [['takenCompany', String(companyId)]];
      return revealingInTurn(companyId ?? -userId, async () => {
        const charged = await chargeAll([['takenUser', String(userId)], ...ofCompany]);
        const most = 1 + Math.min(...charged.map(({ left }) => left));
        let named = 0;
        try {
          return await change(most);
        } catch (error) {
          if (error instanceof AppError && error.code === 'email_taken')
            named = Math.min(most, await revealed());
          throw error;
        } finally {
          const settle = (each: Charge): Promise<unknown> =>
            named === 0 ? refund(each) : charge(each.budget, each.key, named - 1);
          if (named !== 1) await Promise.allSettled(charged.map(settle));
        }
      });
    },
    async countProbe(userId, calls = 1) {
      await charge('probe', String(userId), Math.min(calls, budgets.probe.attempts));
    },
    async countPairing(userId) {
      await charge('pairing', String(userId));
    },
    async countRequest(companyId, create) {
      const charged = await charge('tariffRequest', String(companyId));
      try {
        return await create();
      } catch (error) {
        await refund(charged);
        throw error;
      }
    },
    async recordsCut(companyId) {
      const key = String(companyId);
      const made = await limiters.recordsCut.get(key);
      return {
        demand: () => {
          if (made !== null && made.remainingPoints <= 0) throw tooMany(made.msBeforeNext);
        },
        charge: () => Promise.allSettled([charge('recordsCut', key)]),
      };
    },
    async notice(actorId, mailbox) {
      const [ofMailbox, ofActor] = [hash(fold(mailbox)), String(actorId)];
      const caused = await limiters.noticeActor.get(ofActor);
      if (caused !== null && caused.remainingPoints <= 0) throw tooMany(caused.msBeforeNext);
      return {
        allowed: !(await isSpent('noticeMailbox', ofMailbox)),
        // Called after the change is stored: a refused change must not use up the budget.
        charge: () =>
          Promise.allSettled([charge('noticeMailbox', ofMailbox), charge('noticeActor', ofActor)]),
      };
    },
  };
}

// Folds case like the citext column, so that every spelling of an email counts for its account.
const fold = (email: string) => email.trim().toLowerCase();

/** Hashes the parts of a key, so that the table contains no address and no email. */
function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

const pairKey = (email: string, address: string) => hash(fold(email), subscriberOf(address));

const passwordKeys = (email: string, address: string): readonly [BudgetKey, ...BudgetKey[]] => [
  ['passwordPair', pairKey(email, address)],
  ['passwordAddress', hash(subscriberOf(address))],
  ['passwordAccount', hash(fold(email))],
];
