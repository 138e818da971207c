/** Looks up the value of a key; undefined when there is none. */
export type Load<Found> = (key: Buffer) => Promise<Found | undefined>;

/** A batch waits at most this many milliseconds for the previous one. A lookup usually takes one or two. */
const PATIENCE_MS = 300;

async function endOrTimeout(running: Promise<unknown> | undefined): Promise<void> {
  if (running === undefined) return;
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, PATIENCE_MS);
  await Promise.race([running, timeout.promise]);
  clearTimeout(timer);
}

/**
 * Batches concurrent lookups. A lookup made while a batch runs joins the next batch, which starts when the running one ends.
 * So no result is older than its lookup, and an ended session is not found again. After PATIENCE_MS the next batch starts
 * anyway, because on a dead connection the running batch may never end.
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
    // grows: by callers with a bearer token; bound: 32 bytes for each request that waits for the same batch, at most 300 ms;
    // at the bound: further requests are refused by the limit of connections
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
    // The promise defers the start even without a running batch, so that lookups of one tick share a batch.
    return { keys, result: endOrTimeout(running).then(start) };
  }

  return async (key) => {
    next ??= newBatch();
    const name = key.toString('hex');
    next.keys.set(name, key);
    return (await next.result).get(name);
  };
}
