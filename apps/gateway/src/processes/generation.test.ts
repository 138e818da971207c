import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitForFeed } from './generation.ts';

test.each([
  ['without a process before it', { own: 0, others: [] }, ['nothing', 'lost', 'upToDate']],
  ['that follows another', { own: 1, others: [0] }, ['upToDate']],
  ['that replaces a killed one', { own: 1, others: [], replaces: true }, ['lost', 'upToDate']],
])('a process %s accepts after the events of its feed that suffice', async (_, slots, suffice) => {
  for (const event of ['nothing', 'lost', 'upToDate'] as const) {
    const { mayAccept, ...feed } = waitForFeed(slots);
    let accepts = false;
    void mayAccept.then(() => (accepts = true));
    if (event !== 'nothing') feed[event]();
    await nextTurn();
    expect(accepts, event).toBe(suffice.includes(event));
  }
});
