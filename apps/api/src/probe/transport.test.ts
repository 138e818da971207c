import { expect, test } from 'vitest';
import { refusalWithin } from './transport.ts';

test('a 502 of our own gateway within a tunnel is a missing connection to the site, and a 502 of the site is its answer', () => {
  const reply = { status: 502, headers: { 'x-propusk-reason': 'connect_failed' } };
  expect(refusalWithin({ kind: 'gateway' }, reply)).toMatchObject({
    where: 'site',
    reason: 'connect_failed',
  });
  expect(refusalWithin({ kind: 'gateway' }, { status: 502, headers: {} })).toBeNull();
  expect(refusalWithin({ kind: 'outside' }, reply)).toBeNull();
});
