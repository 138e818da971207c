import { createHash } from 'node:crypto';
import { subscriberOf } from '@propusk/overload/networks';

interface Limit {
  readonly attempts: number;
  readonly minutes: number;
  /** Each attempt extends the window. A fixed window would allow twice the attempts around the end of the window. */
  readonly extends?: true;
  /** A successful attempt resets the count. */
  readonly resets?: true;
}

/** A counter of a budget. */
export interface Key extends Limit {
  /** The key in the table `rate_limits`. It contains no address and no email. */
  readonly name: string;
  /** The number of attempts that one charge adds to the counter. */
  readonly points: number;
}

// Converts an email to lower case, because all spellings of an email share one account and therefore one counter.
const fold = (email: string) => email.trim().toLowerCase();

function hash(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

const id = (number: number) => String(number);
const account = (email: string) => hash(fold(email));
const subscriber = (address: string) => hash(subscriberOf(address));
const pair = (email: string, address: string) => hash(fold(email), subscriberOf(address));
const device = (mark: string) => hash(mark);

/**
 * The rate limits: `attempts` per window of `minutes`. The counters are in the database, so all api processes share them.
 *
 * At the limit, the caller gets 429 with the time to wait, unless the comment of the limit says otherwise.
 */
const budgets = {
  /** Password checks for one account from one IP address. */
  passwordPair: { key: pair, attempts: 10, minutes: 15, extends: true, resets: true },
  /** Wrong passwords from one IP address, for all accounts. */
  passwordAddress: { key: subscriber, attempts: 100, minutes: 15 },
  /** Wrong passwords for one account, from all IP addresses. */
  passwordAccount: { key: account, attempts: 100, minutes: 15 },
  /**
   * Wrong passwords from a browser with a valid device mark. Until this limit is reached, attempts from the browser do not count
   * in `passwordPair`, `passwordAddress` and `passwordAccount`.
   */
  passwordDevice: { key: device, attempts: 10, minutes: 15, extends: true, resets: true },
  /** Failed re-authentications with the password in one session. At the limit, the session ends. */
  ownPasswordSession: {
    key: (tokenHash: Buffer) => tokenHash.toString('base64url'),
    attempts: 10,
    minutes: 60,
    resets: true,
  },
  /** Failed re-authentications with the password of one account, in all sessions. */
  ownPasswordAccount: { key: account, attempts: 20, minutes: 60, extends: true },
  /**
   * Failed re-authentications with the password from a browser with a valid device mark. Attempts of this browser do not count
   * in `ownPasswordAccount`, so an attacker in another session cannot block the user.
   */
  ownPasswordDevice: { key: device, attempts: 10, minutes: 60, extends: true },
  /**
   * Wrong second-factor codes of one user, from all addresses. Of a million codes, three are valid at any time. A right code does
   * not reset the count: the user's daily sign-ins must not renew the attempts of an attacker.
   */
  code: { key: id, attempts: 20, minutes: 60 },
  /** Registrations without an invitation, by IP address. */
  registration: { key: subscriber, attempts: 20, minutes: 60 },
  /**
   * Mailed links. `linkPair` counts the requests of one IP address for one mailbox, `linkEmail` all requests for a mailbox, and
   * `linkAddress` all requests of an IP address. A mailbox without an account has the same limits.
   */
  linkPair: { key: pair, attempts: 3, minutes: 15 },
  linkEmail: { key: account, attempts: 10, minutes: 15 },
  linkAddress: { key: subscriber, attempts: 10, minutes: 15 },
  /** Mailed links to one mailbox in 24 hours. At the limit, further links count in `linkSlow`. */
  linkDay: { key: account, attempts: 100, minutes: 1_440 },
  /**
   * Mailed links to one mailbox after `linkPair`, `linkEmail` or `linkAddress` is exhausted. Without this
   * reserve, strangers could exhaust those limits and block the links of the mailbox owner.
   */
  linkMinute: { key: account, attempts: 1, minutes: 1 },
  /**
   * Mailed links to one mailbox after `linkDay` is exhausted. A link is valid for 10 minutes, which is longer than the 5 minutes of
   * this limit, so the newest link is always valid.
   */
  linkSlow: { key: account, attempts: 1, minutes: 5 },
  /** Mailed links that one IP address may request under `linkMinute` and `linkSlow` together. */
  linkReserve: { key: subscriber, attempts: 30, minutes: 60 },
  /** Invalid links or codes of one kind that one IP address may try. At the limit, a valid link or code is still accepted. */
  redeemed: {
    key: (kind: Redeemed, address: string) => hash(kind, subscriberOf(address)),
    attempts: 30,
    minutes: 15,
  },
  /** Outbound calls requested by one user: probes of sites and proxies, and each lookup of an egress address. */
  probe: { key: id, attempts: 60, minutes: 5 },
  /** Mails to one mailbox that report account changes. At the limit, the change is stored without a mail. */
  noticeMailbox: { key: account, attempts: 5, minutes: 60 },
  /** Mails that report account changes made by one actor. At the limit, the change is refused. */
  noticeActor: { key: id, attempts: 300, minutes: 60 },
  /** Changes that shorten the record retention of one company. Each change is mailed to the company's other owners. */
  recordsCut: { key: id, attempts: 10, minutes: 60 },
  /** Invitations that one company mails on one day (UTC). The limit prevents spam, because anybody can register a company. */
  invitation: {
    key: (companyId: number, day: string) => `${companyId}:${day}`,
    attempts: 500,
    minutes: 1_440,
  },
  /** Invitations of one company to one mailbox. A company cannot block another company's invitations to the mailbox. */
  invitationMailbox: {
    key: (companyId: number, email: string) => hash(String(companyId), fold(email)),
    attempts: 5,
    minutes: 60,
  },
  /** Mails of one company to one mailbox about the extension. */
  extensionReminder: {
    key: (companyId: number, email: string) => hash(String(companyId), fold(email)),
    attempts: 1,
    minutes: 7 * 1_440,
  },
  /** Limits how many accounts of other companies the `email_taken` replies reveal to one user and to one company. */
  takenUser: { key: id, attempts: 20, minutes: 60 },
  takenCompany: { key: id, attempts: 60, minutes: 60 },
  /** Pairing codes that one user may create. The limit exists because the end of each paired session causes a new snapshot. */
  pairing: { key: id, attempts: 20, minutes: 15 },
  /** Requests of one company to the operator, each of which is mailed. */
  tariffRequest: { key: id, attempts: 20, minutes: 1_440 },
} satisfies Record<string, Limit & { key: (...parts: never[]) => string }>;
export type Budget = keyof typeof budgets;
/** The arguments that name a counter of a budget, such as an email and an IP address. */
export type Owner<B extends Budget> = Parameters<(typeof budgets)[B]['key']>;

/** A kind of link or code. Each kind has a separate budget. */
export type Redeemed = 'mailLink' | 'invitation' | 'lockLink' | 'pairingCode' | 'vantage';

/** Returns the counter that a budget has for these arguments, for example `keyOf('passwordPair', email, address)`. */
export function keyOf<B extends Budget>(budget: B, ...owner: Owner<B>): Key {
  const { key, ...limits } = budgets[budget] as Limit & { key: (...parts: unknown[]) => string };
  return { ...limits, name: `${budget}:${key(...owner)}`, points: 1 };
}

/** Returns the counter with a charge of `points` attempts, or of the whole limit if `points` is larger than the limit. */
export function times(key: Key, points: number): Key {
  return { ...key, points: Math.min(points, key.attempts) };
}
