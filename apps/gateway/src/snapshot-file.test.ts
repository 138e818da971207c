import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { SnapshotFault, seal, unseal } from './snapshot-file.ts';

const key = randomBytes(32);
const plain = Buffer.from('{"who": "may reach what"}');

test('unseal() returns a sealed snapshot, and sealing it twice gives different bytes', () => {
  const [first, second] = [seal(key, plain), seal(key, plain)];
  expect(unseal(key, first)).toEqual(plain);
  expect(first.equals(second)).toBe(false);
  expect(first.includes('reach')).toBe(false);
});

test('unseal() rejects a snapshot file with any flipped bit', () => {
  const file = seal(key, plain);
  for (let bit = 0; bit < file.length * 8; bit++) {
    const changed = Buffer.from(file);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => unseal(key, changed)).toThrow(SnapshotFault);
  }
});

test('unseal() rejects a shorter or longer snapshot file, and another key', () => {
  const file = seal(key, plain);
  for (let length = 0; length < file.length; length++) {
    expect(() => unseal(key, file.subarray(0, length))).toThrow(SnapshotFault);
  }
  expect(() => unseal(key, Buffer.concat([file, Buffer.from([0])]))).toThrow(SnapshotFault);
  expect(() => unseal(randomBytes(32), file)).toThrow(SnapshotFault);
});
