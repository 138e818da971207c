/**
 * Calls `work` for each item of a list, with at most `atOnce` calls at a time.
 * @returns the results in the order of the items
 * @throws the error of the first failed call, while other calls may still run
 */
export async function inParallel<T, R>(
  atOnce: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
