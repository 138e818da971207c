/** A connection that ends by itself at some time. One timer sweeps all of them: a timer for each costs more than its tunnel's bytes. */
export interface Deadline {
  /** On the clock of performance.now(), in ms; infinite for none. */
  readonly deadline: number;
  /** Called by the sweep after the deadline. */
  late(): void;
}

/** The interval of the sweep. */
export const SWEEP_MS = 1_000;

let sweptAt = performance.now();

/** The time of the last sweep: good enough for a deadline that moves with each piece of a transfer. */
export const coarseNow = () => sweptAt;

/** Ends the connections that are late. */
export function sweep(connections: Iterable<Deadline>): void {
  sweptAt = performance.now();
  for (const connection of connections) if (connection.deadline <= sweptAt) connection.late();
}
