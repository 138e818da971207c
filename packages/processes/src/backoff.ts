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
   * Waits for half of the next pause to all of it, at random: clients that lost one server must not all return at one moment. A signal ends the
   * wait.
   */
  async wait(signal: AbortSignal): Promise<void> {
    await sleep(this.next() * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => {});
  }
}
