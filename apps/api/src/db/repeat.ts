/** Work that repeats until it is closed. */
export interface Repeating {
  /** Runs once, after the current run. */
  tick(): Promise<void>;
  /** Stops the timer and aborts the signal. Resolves when the current run has ended. */
  close(): Promise<void>;
}

/**
 * Runs work now and every `ms` milliseconds, one run at a time.
 * @param work ends early once its signal is aborted
 * @param onError called with what a run throws; the next run tries again
 */
export function repeat(
  ms: number,
  work: (signal: AbortSignal) => Promise<void>,
  onError: (error: unknown) => void,
): Repeating {
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const tick = () =>
    (running = running
      .then(() => (closing.signal.aborted ? undefined : work(closing.signal)))
      .catch(onError));
  const timer = setInterval(tick, ms).unref();
  void tick();
  return {
    tick,
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await running;
    },
  };
}
