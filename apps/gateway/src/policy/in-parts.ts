/** The longest part in one turn of the event loop. */
const PART_MS = 5;
/** A walk that others have held up for this long is finished in one turn: a revocation takes effect within a second. */
const WHOLE_AFTER_MS = 250;
/** How many members are judged between two looks at the clock. */
const AT_ONCE = 16;

interface Walk<T> {
  /** The members that are not judged yet. */
  readonly rest: Iterator<T>;
  readonly since: number;
  // Grows with calls during one walk. Bound: the changes of policies during that walk, which takes about 250 ms. At the bound:
  // does not grow
  readonly done: (() => void)[];
}

/**
 * Makes a function that passes each member of a set to `judge`: at once where they are few, otherwise in parts, so that other
 * events are handled between. A call during a walk does not restart it, because frequent calls would then never reach the last
 * members. Instead a second walk follows, for the members that the first one has passed.
 * @returns takes a function that is called once every member has been judged after the call
 */
export function inParts<T>(members: Iterable<T>, judge: (member: T) => void): (done?: () => void) => void {
  let walk: Walk<T> | null = null;
  let next: Walk<T> | null = null;
  const begin = (): Walk<T> => ({ rest: members[Symbol.iterator](), since: performance.now(), done: [] });

  function part(): void {
    if (walk === null) return;
    // The next part is scheduled before this one runs, so that an error in `judge` does not end the walk.
    const later = setImmediate(part);
    const { rest, since, done } = walk;
    const now = performance.now();
    const until = now - since > WHOLE_AFTER_MS ? Number.POSITIVE_INFINITY : now + PART_MS;
    do {
      for (let left = AT_ONCE; left > 0; left -= 1) {
        const { value, done: isOver } = rest.next();
        if (isOver !== true) {
          judge(value);
          continue;
        }
        [walk, next] = [next, null];
        if (walk === null) clearImmediate(later);
        for (const told of done) told();
        return;
      }
    } while (performance.now() < until);
  }

  return (done) => {
    const isFirst = walk === null;
    const mine = isFirst ? (walk = begin()) : (next ??= begin());
    if (done !== undefined) mine.done.push(done);
    if (isFirst) part();
  };
}
