import { expect, test } from 'vitest';
import { refusalWithin } from './transport.ts';

test('a 502 within a tunnel is a failed connection to the site if our gateway sent it, and else a response of the site', () => {
  const reply = { status: 502, headers: { 'x-propusk-reason': 'connect_failed' } };
  expect(refusalWithin({ kind: 'gateway' }, reply)).toMatchObject({
    where: 'site',
    reason: 'connect_failed',
  });
  expect(refusalWithin({ kind: 'gateway' }, { status: 502, headers: {} })).toBeNull();
  expect(refusalWithin({ kind: 'outside' }, reply)).toBeNull();
});
