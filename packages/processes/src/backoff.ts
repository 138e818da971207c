import { setTimeout as sleep } from 'node:timers/promises';

/** The pauses between attempts: each is twice the one before, up to a maximum. */
export class Backoff {
  readonly #firstMs: number;
  readonly #mostMs: number;
  #failures = 0;

  constructor(firstMs: number, mostMs: number) {
    this.#firstMs = firstMs;
    this.#mostMs = mostMs;
  }

  /** @returns the pause before the next attempt, in milliseconds */
  next(): number {
    const ms = Math.min(this.#firstMs * 2 ** this.#failures, this.#mostMs);
    this.#failures += 1;
    return ms;
  }

  /** Begins again with the first pause, after a success. */
  reset(): void {
    this.#failures = 0;
  }

  /**
   * Waits for a random time between half of the next pause and all of it, so that clients that lost one server do not all return at
   * one moment.
   * @param signal ends the wait
   */
  async wait(signal: AbortSignal): Promise<void> {
    await sleep(this.next() * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
  }
}
