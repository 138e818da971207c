import { expect, test } from 'vitest';
import { refusalWithin } from './transport.ts';

test('a 502 that our gateway sends inside a tunnel counts as a failed connection to the site', () => {
  const reply = { status: 502, headers: { 'x-propusk-reason': 'connect_failed' } };
  expect(refusalWithin({ kind: 'gateway' }, reply)).toMatchObject({
    where: 'site',
    reason: 'connect_failed',
  });
  expect(refusalWithin({ kind: 'gateway' }, { status: 502, headers: {} })).toBeNull();
  expect(refusalWithin({ kind: 'outside' }, reply)).toBeNull();
});
