import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slotsUnder } from '../policy/concurrency-limits.ts';
import { createSharedLimits, createSlotPool, type SharedLimits } from './shared-limits.ts';

/** Slots shared by several workers: in any order of actions no limit is exceeded and no slot is lost. */

const limits = { perCaller: 40, perCompany: 70, total: 100 };

interface SlotHolder {
  readonly caller: string;
  readonly companyId: number;
}
const slotsOf = ({ caller, companyId }: SlotHolder) => slotsUnder(limits)(caller, companyId);

/** Workers and their primary, with messages delivered only by `deliver`. */
function cluster(workers: number) {
  const pool = createSlotPool(workers);
  const mail: (() => void)[] = [];
  const places: SharedLimits[] = Array.from({ length: workers }, (_, id) =>
    createSharedLimits(limits, workers, (message) =>
      mail.push(() => {
        const { name, slots } = message;
        if (message.type === 'giveBack') return pool.giveBack(id, name, slots);
        const granted = pool.lend(id, name, message.most, slots);
        mail.push(() => places[id]?.granted(name, granted));
      }),
    ),
  );
  const deliver = () => {
    for (let next = mail.shift(); next !== undefined; next = mail.shift()) next();
  };
  /** Takes a slot as the gateway does: from the worker's own slots, or after asking the primary for more. */
  const enter = async (id: number, holder: SlotHolder): Promise<boolean> => {
    const mine = places[id] ?? expect.fail();
    while (mine.acquire(slotsOf(holder)) !== undefined) {
      const asked = mine.request(slotsOf(holder));
      deliver();
      if (asked === null || !(await asked)) return false;
    }
    return true;
  };
  return { places, deliver, enter };
}

const step = fc.record({
  worker: fc.nat(3),
  caller: fc.integer({ min: 1, max: 6 }),
  leave: fc.boolean(),
});

test('workers that share slots never exceed a limit, and can take released slots again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 50, maxLength: 400 }), async (steps) => {
      const { places, deliver, enter } = cluster(4);
      const inside: { worker: number; holder: SlotHolder }[] = [];
      for (const { worker, caller, leave } of steps) {
        if (leave && inside.length > 0) {
          const [gone] = inside.splice(caller % inside.length, 1);
          if (gone !== undefined) places[gone.worker]?.release(slotsOf(gone.holder));
          deliver();
          continue;
        }
        const holder = { caller: `u${caller}`, companyId: (caller % 2) + 1 };
        if (await enter(worker, holder)) inside.push({ worker, holder });
        const of = (test: (holder: SlotHolder) => boolean) =>
          inside.filter((each) => test(each.holder)).length;
        expect(inside.length).toBeLessThanOrEqual(limits.total);
        expect(of((each) => each.caller === holder.caller)).toBeLessThanOrEqual(limits.perCaller);
        expect(of((each) => each.companyId === holder.companyId)).toBeLessThanOrEqual(limits.perCompany);
      }
      for (const { worker, holder } of inside) places[worker]?.release(slotsOf(holder));
      deliver();
      // All slots are free again: one user at one worker gets those of the pool and those that the worker owns.
      let count = 0;
      while (await enter(0, { caller: 'u1', companyId: 1 })) count += 1;
      expect(count).toBeGreaterThanOrEqual(limits.perCaller * (7 / 8));
      expect(count).toBeLessThanOrEqual(limits.perCaller);
    }),
    { numRuns: 60 },
  );
});

test("the primary takes back a dead worker's slots", () => {
  const pool = createSlotPool(2);
  expect(pool.lend(1, 'u1', 512, 500)).toBe(448);
  expect(pool.lend(2, 'u1', 512, 1)).toBe(0);
  pool.forget(1);
  expect(pool.lend(2, 'u1', 512, 500)).toBe(448);
});

test('most users get a slot without a message to the primary', () => {
  const asked: string[] = [];
  const most = { perCaller: 512, perCompany: 5_000, total: 20_000 };
  const leases = createSharedLimits(most, 4, ({ name }) => asked.push(name));
  for (let i = 0; i < 16; i++) expect(leases.acquire(leases.of('u1', 1))).toBeUndefined();
  expect(leases.acquire(leases.of('u1', 1))).toBe('u1');
  expect(asked).toEqual([]);
});
