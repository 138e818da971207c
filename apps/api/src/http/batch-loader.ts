/** Finds what belongs to a key; undefined for nothing. */
export type Load<Found> = (key: Buffer) => Promise<Found | undefined>;

/** Milliseconds: a look-up takes one or two. */
const PATIENCE_MS = 300;

async function patiently(underWay: Promise<unknown> | undefined): Promise<void> {
  if (underWay === undefined) return;
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, PATIENCE_MS);
  await Promise.race([underWay, late.promise]);
  clearTimeout(timer);
}

/**
 * Lets many who ask at once be answered by one question. Whoever asks while one is under way waits for the next, which is
 * asked when that one is answered: no answer is older than its asking, so that what has ended is not found again.
 * Nobody waits for long for somebody else's: a question that got no answer by then may never get one, its connection being
 * dead, and the next is asked beside it.
 * @param findAll answers the keys, each once, with what it found by their hex
 */
export function createBatchLoader<Found>(
  findAll: (keys: Buffer[]) => Promise<Map<string, Found>>,
): Load<Found> {
  interface Round {
    readonly keys: Map<string, Buffer>;
    readonly answer: Promise<Map<string, Found>>;
  }
  let underWay: Promise<unknown> | undefined;
  let next: Round | undefined;

  function newRound(): Round {
    // grows: by callers with a bearer token; bound: 32 bytes for each request that waits for the same round, 300 ms
    // at most; at the bound: does not outgrow the requests; test: none
    const keys = new Map<string, Buffer>();
    const ask = () => {
      next = undefined;
      const asked = findAll([...keys.values()]);
      const over = asked.then(
        () => {},
        () => {},
      );
      underWay = over;
      void over.then(() => {
        if (underWay === over) underWay = undefined;
      });
      return asked;
    };
    // A turn later at the least: those of the same moment come together.
    return { keys, answer: patiently(underWay).then(ask) };
  }

  return async (key) => {
    next ??= newRound();
    const name = key.toString('hex');
    next.keys.set(name, key);
    return (await next.answer).get(name);
  };
}
