/** Makes a line: each piece of work begins when the one before it is over, however that ended. */
export function createLine(): <T>(work: () => Promise<T>) => Promise<T> {
  let line: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = line.then(work);
    line = done.catch(() => {});
    return done;
  };
}
