/** A version of the Internet Protocol. */
export type Family = 4 | 6;
/** The only family to dial; 0 means both, as in Node's option `family`. */
export type FamilyChoice = 0 | Family;

const LAST_MS = 10 * 60_000;

/** The family of an address literal. */
export function familyOf(address: string): Family {
  return address.includes(':') ? 6 : 4;
}

/** Orders the address families for one dialer: IPv4 first, but a family that failed is tried last for 10 minutes. */
export class FamilyOrder {
  readonly #now: () => number;
  /** Until when a family is tried last, in milliseconds of the clock. */
  #lastUntil4 = 0;
  #lastUntil6 = 0;

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The family to try first. */
  first(): Family {
    if (this.#lastUntil4 === 0) return 4;
    const now = this.#now();
    return now < this.#lastUntil4 && now >= this.#lastUntil6 ? 6 : 4;
  }

  /** Records an attempt by a family. */
  record(family: Family, connected: boolean): void {
    const until = connected ? 0 : this.#now() + LAST_MS;
    if (family === 4) this.#lastUntil4 = until;
    else this.#lastUntil6 = until;
  }
}
