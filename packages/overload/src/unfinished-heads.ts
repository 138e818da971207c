import { subscriberOf } from './networks.ts';

/** The most bytes of request heads that one subscriber may leave unfinished: 16 heads of the largest size. */
const MOST_BYTES = 1_048_576;

/** The bytes of unfinished request heads, by subscriber. Node's parser holds a head until its end. */
export class UnfinishedHeads {
  // Grows with subscribers with an unfinished head. Bound: SOCKETS entries, below 1 MB. At the bound: further connections are
  // reset
  readonly #bytes = new Map<string, number>();

  /** Adds bytes; a negative number removes them. @returns whether the client's subscriber is within the limit */
  add(address: string, bytes: number): boolean {
    const subscriber = subscriberOf(address);
    const held = (this.#bytes.get(subscriber) ?? 0) + bytes;
    if (held > 0) this.#bytes.set(subscriber, held);
    else this.#bytes.delete(subscriber);
    return held <= MOST_BYTES;
  }
}
