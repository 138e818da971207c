/** Bytes that all transfers together read in one turn of the event loop before each has to wait for the next turn. */
const TURN_BYTES = 1024 * 1024;

let spent = 0;

/**
 * Counts bytes that a transfer read. libuv reads up to 2 MiB of one socket in a turn, so that a hundred fast transfers would
 * hold up every other client for a second.
 * @returns whether the transfer has to stop reading until the next turn, with `setImmediate`
 */
export function exceedsReadBudget(bytes: number): boolean {
  if (spent === 0) setImmediate(endTurn);
  spent += bytes;
  return spent > TURN_BYTES;
}

function endTurn(): void {
  spent = 0;
}
