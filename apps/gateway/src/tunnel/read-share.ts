/** Bytes that all transfers together read in one turn of the event loop: a few ms of a core. libuv reads half of it from one socket. */
const TURN_BYTES = 4 * 1024 * 1024;
/** The least share of a transfer: one read. */
const LEAST = 65_536;

let turn = 0;
/** Transfers that have read in this turn, and the share of each, by their number in the last turn. */
let reading = 0;
let share = Number.POSITIVE_INFINITY;
// Grows with transfers. Bound: one entry for each live tunnel and request. At the bound: emptied at the end of each turn
let waiting: (() => unknown)[] = [];

/**
 * A transfer's share of what is read in one turn of the event loop. Without it a hundred fast transfers would block every other
 * client for a second. A transfer that reads alone is not limited.
 */
export class ReadShare {
  #turn = -1;
  #read = 0;

  /** Counts bytes. @returns whether the transfer must stop reading until the next turn */
  exceeded(bytes: number): boolean {
    if (this.#turn !== turn) {
      this.#turn = turn;
      this.#read = 0;
      if (reading++ === 0) setImmediate(endTurn);
    }
    this.#read += bytes;
    return this.#read >= share;
  }
}

/** Calls back at the beginning of the next turn. Only after `exceeded()`. */
export function atNextTurn(resume: () => unknown): void {
  waiting.push(resume);
}

function endTurn(): void {
  turn += 1;
  share = reading <= 1 ? Number.POSITIVE_INFINITY : Math.max(LEAST, TURN_BYTES / reading);
  reading = 0;
  const resumed = waiting;
  waiting = [];
  for (const resume of resumed) resume();
}
