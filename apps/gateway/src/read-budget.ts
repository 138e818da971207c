/** Bytes that all transfers together may read in one iteration of the event loop. */
const TURN_BYTES = 1024 * 1024;

let spent = 0;

/**
 * Counts bytes that a transfer read. libuv reads up to 2 MiB of one socket in an iteration: a hundred fast transfers would
 * block every other client for a second.
 * @returns whether the transfer must pause until `setImmediate`
 */
export function exceedsReadBudget(bytes: number): boolean {
  if (spent === 0) setImmediate(endTurn);
  spent += bytes;
  return spent > TURN_BYTES;
}

function endTurn(): void {
  spent = 0;
}
