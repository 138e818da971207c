import { expect, test } from 'vitest';
import { createFairSlots, type SlotHolder } from './fair-slots.ts';

const taken: SlotHolder[] = [];
const evicted: SlotHolder[] = [];
function holderOf(tenant: number): SlotHolder {
  const holder = { tenant, cancel: () => void evicted.push(holder) };
  return holder;
}
function fill(slots = createFairSlots(), tenants = 0, each = 0) {
  taken.length = 0;
  evicted.length = 0;
  let refused = 0;
  for (let i = 0; i < tenants * each; i++) {
    const holder = holderOf(Math.floor(i / each));
    try {
      slots.take(holder);
      taken.push(holder);
    } catch {
      refused++;
    }
  }
  return { slots, refused };
}
const left = (tenant: number) =>
  taken.filter((holder) => holder.tenant === tenant).length -
  evicted.filter((holder) => holder.tenant === tenant).length;

test('a tenant gets 16 DNS slots, and another one once it frees one', () => {
  const { slots, refused } = fill(createFairSlots(), 1, 17);
  expect(refused).toBe(1);
  slots.take(holderOf(2));
  const [first = holderOf(0)] = taken;
  slots.free(first);
  slots.free(first);
  slots.take(holderOf(0));
  expect(() => slots.take(holderOf(0))).toThrow('names_busy');
});

test('with 50 greedy tenants, every tenant keeps its share of 512 slots, and a newcomer gets the same share', () => {
  const { slots } = fill(createFairSlots(), 50, 16);
  const shares = Array.from({ length: 50 }, (_, tenant) => left(tenant));
  expect(shares.reduce((sum, share) => sum + share)).toBe(512);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(10);
  evicted.length = 0;
  for (let i = 0; i < 10; i++) slots.take(holderOf(99));
  expect(evicted).toHaveLength(10);
  // Tenant 99 has used up its share of 512 / 51 slots.
  expect(() => Array.from({ length: 6 }, () => slots.take(holderOf(99)))).toThrow('names_busy');
});

test('when all DNS slots are taken, the tenant that holds most loses its oldest slot', () => {
  const { slots } = fill(createFairSlots(), 32, 16);
  expect(evicted).toEqual([]);
  slots.take(holderOf(99));
  expect(evicted).toEqual([taken[0]]);
});

test('when 512 tenants hold one DNS slot each, a further tenant is refused', () => {
  const { slots } = fill(createFairSlots(), 512, 1);
  expect(() => slots.take(holderOf(999))).toThrow('names_busy');
  expect(evicted).toEqual([]);
  const [first = holderOf(0)] = taken;
  slots.free(first);
  slots.take(holderOf(999));
});
