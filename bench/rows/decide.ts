import { fileURLToPath } from 'node:url';
import { MEASURED, pinned, told } from '../harness/pinned.ts';
import { median, middleLine, type Row } from '../harness/row.ts';

/** The rule of access beside bare look-ups of the same keys. */
export const row: Row = {
  name: 'decide',
  title: 'decide() on 10,000 companies × 100 people × 100 sites',
  quick: true,
  run: async ({ rounds }) => {
    const path = fileURLToPath(import.meta.resolve('../policy/decide.ts'));
    const running = pinned(
      MEASURED,
      [process.execPath, '--expose-gc', '--max-old-space-size=6000', path, String(rounds)],
      { ipc: true },
    );
    const { rule, map, bytes } = await told<{ rule: number[]; map: number[]; bytes: number }>(
      running.child,
      'timed',
    );
    await running.stop();
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
        // Less than any object has: what is left is what the measuring itself left behind.
        { what: 'Memory a call leaves', value: bytes, bar: 1, atLeast: false, unit: ' bytes' },
      ],
      notes: ['20,000 pairs of a person and a site of theirs over the whole platform, on shared egress.'],
    };
  },
};
