/** Looks up the value of a key; undefined when the key has no value. */
export type Load<Found> = (key: Buffer) => Promise<Found | undefined>;

/** How many milliseconds a batch waits for the previous batch. A lookup usually takes 1 or 2 ms. */
const PATIENCE_MS = 300;

async function endOrTimeout(running: Promise<unknown> | undefined): Promise<void> {
  if (running === undefined) return;
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, PATIENCE_MS);
  await Promise.race([running, timeout.promise]);
  clearTimeout(timer);
}

/**
 * Batches concurrent lookups. A lookup made while a batch runs joins the next batch, so a result is never older than its lookup.
 * The next batch starts when the running batch ends, or after PATIENCE_MS, because a batch on a dead connection may never end.
 * @param findAll looks up distinct keys; returns the values by the key in hex
 */
export function createBatchLoader<Found>(
  findAll: (keys: Buffer[]) => Promise<Map<string, Found>>,
): Load<Found> {
  interface Batch {
    readonly keys: Map<string, Buffer>;
    readonly result: Promise<Map<string, Found>>;
  }
  let running: Promise<unknown> | undefined;
  let next: Batch | undefined;

  function newBatch(): Batch {
    // Grows with waiting requests that have a bearer token. Bound: a key of 32 bytes per client connection. At the bound: the
    // server accepts no more connections
    const keys = new Map<string, Buffer>();
    const start = () => {
      next = undefined;
      const lookup = findAll([...keys.values()]);
      const ended = lookup.then(
        () => {},
        () => {},
      );
      running = ended;
      void ended.then(() => {
        if (running === ended) running = undefined;
      });
      return lookup;
    };
    // Even when no batch runs, the promise defers the start, so that all lookups of one tick share a batch.
    return { keys, result: endOrTimeout(running).then(start) };
  }

  return async (key) => {
    next ??= newBatch();
    const name = key.toString('hex');
    next.keys.set(name, key);
    return (await next.result).get(name);
  };
}
