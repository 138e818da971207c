import { fileURLToPath } from 'node:url';
import { firstMessage, MEASURED, pinned } from '../harness/pinned.ts';
import { median, middleLine, type Row } from '../harness/row.ts';

/** Measures the access rule and bare look-ups of the same keys. */
export const row: Row = {
  name: 'decide',
  title: 'decide() on 10,000 companies × 100 users × 100 sites',
  quick: true,
  run: async ({ rounds }) => {
    const path = fileURLToPath(import.meta.resolve('../policy/decide.ts'));
    await using running = pinned(
      MEASURED,
      [process.execPath, '--expose-gc', '--max-old-space-size=6000', path, String(rounds)],
      { ipc: true },
    );
    const { rule, map, bytes } = await firstMessage<{ rule: number[]; map: number[]; bytes: number }>(
      running.child,
      'timed',
    );
    const ratio = median(rule.map((each, i) => each / (map[i] ?? Number.NaN)));
    return {
      tables: [
        {
          title: 'One call',
          head: ['', 'ns', 'spread'],
          lines: [middleLine('decide()', rule), middleLine('two Map look-ups', map)],
        },
      ],
      ratios: [
        { what: 'decide() / the look-ups', value: ratio, bar: 3, atLeast: false },
        // One byte is below the size of any object, so the rule allocates nothing; the measurement itself
        // causes the rest.
        { what: 'Memory a call leaves', value: bytes, bar: 1, atLeast: false, unit: ' bytes' },
      ],
      notes: [
        '20,000 pairs of a user and one of that user’s sites over the whole platform, on shared egress.',
      ],
    };
  },
};
