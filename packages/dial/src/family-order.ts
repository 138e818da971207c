import type { Tenant } from './fair-slots.ts';

/** The most tenants with an order of their own. */
const MOST = 10_000;

/** A version of the Internet Protocol. */
export type Family = 4 | 6;
/** The only family to dial; 0 means both, as in Node's option `family`. */
export type FamilyChoice = 0 | Family;

const LAST_MS = 10 * 60_000;

/** The family of an address literal. */
export function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/**
 * Orders the address families for the dials of each tenant: IPv4 first, but a family that failed is tried last for 10 minutes. Each
 * tenant has a separate order, because a tenant chooses hosts and can make their dials fail.
 */
export class FamilyOrder {
  readonly #now: () => number;
  /** For each address family, the time until which it is tried after the other one, in ms of the clock. */
  // Grows with companies (in the api: hosts) with a failed dial. Bound: 10,000 entries. At the bound: the oldest is removed
  readonly #lastUntil = new Map<Tenant, Record<Family, number>>();

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The family to try first. */
  first(tenant: Tenant): Family {
    const until = this.#lastUntil.get(tenant);
    if (until === undefined) return 4;
    const now = this.#now();
    if (now >= until[4] && now >= until[6]) this.#lastUntil.delete(tenant);
    return now < until[4] && now >= until[6] ? 6 : 4;
  }

  /** Records an attempt by a family. */
  record(tenant: Tenant, family: Family, connected: boolean): void {
    const known = this.#lastUntil.get(tenant);
    // The usual case needs no allocation.
    if (known === undefined && connected) return;
    const until = known ?? { 4: 0, 6: 0 };
    until[family] = connected ? 0 : this.#now() + LAST_MS;
    if (until[4] === 0 && until[6] === 0) this.#lastUntil.delete(tenant);
    else this.#lastUntil.set(tenant, until);
    if (this.#lastUntil.size <= MOST) return;
    const [oldest] = this.#lastUntil.keys();
    if (oldest !== undefined) this.#lastUntil.delete(oldest);
  }
}
