import type { AbortSignalLike } from '@propusk/dial/dial';

/**
 * An AbortController and its signal in one, without the events of the DOM: those were a tenth of what a tunnel costs, and a
 * passage is made for every tunnel and request.
 */
export class AbortSignalLite implements AbortSignalLike {
  reason: Error | undefined;
  // grows: by the parts of one request; bound: a handful for each request; at the bound: does not grow; test:
  // apps/gateway/src/abort-signal-lite.test.ts
  #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  /** Tells all who listen, once. */
  abort(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) {
      try {
        listener();
      } catch (error) {
        // A fault in one must not keep the next from ending: it comes up on its own, as with AbortSignal.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  throwIfAborted(): void {
    if (this.reason !== undefined) throw this.reason;
  }

  /** A listener is told once; one that comes too late is not told, as with AbortSignal. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.reason === undefined) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }
}
