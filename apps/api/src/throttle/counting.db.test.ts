import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { AppError } from '../core/errors.ts';
import { keyOf, times } from './budgets.ts';
import { createThrottle, type Throttle } from './throttle.ts';

let database: TestDatabase;
let throttle: Throttle;
let second: Throttle;
beforeAll(async () => {
  database = await createTestDatabase(inject('serverUrl'));
  throttle = createThrottle(database.db);
  second = createThrottle(database.db);
});
afterAll(() => database.close());
beforeEach(() => database.pool.query('delete from rate_limits'));

const user = keyOf('takenUser', 1);
const company = keyOf('takenCompany', 1);
const left = async (...keys: (typeof user)[]) => {
  await using attempt = await throttle.begin({ keys });
  return keys.map((key) => attempt.left(key) + 1);
};
const expire = (ms: number) => database.pool.query('update rate_limits set expire = $1', [Date.now() + ms]);
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof AppError ? error.facts.retryAfter : error),
  );

test('an attempt is refunded when its variable goes out of scope, unless keep() was called', async () => {
  const attempt = async (end: (kept: Awaited<ReturnType<Throttle['begin']>>) => void) => {
    await using begun = await throttle.begin({ keys: [user, company] });
    end(begun);
  };
  await attempt(() => {});
  await expect(
    attempt(() => {
      throw new Error('The check failed');
    }),
  ).rejects.toThrow('The check failed');
  expect(await left(user, company)).toEqual([20, 60]);
  await attempt((begun) => void begun.keep(null));
  expect(await left(user, company)).toEqual([19, 59]);
});

test('a charge against two rate limits is refused as a whole when one limit is exhausted', async () => {
  await throttle.begin({ keys: [times(user, 20)] });
  expect(await refusal(throttle.begin({ keys: [company, user] }))).toBe(3_600);
  expect(await left(company)).toEqual([60]);
  // A charge of three attempts is refused when two attempts are left, and the two attempts remain.
  await throttle.begin({ keys: [times(company, 58)] });
  expect(await refusal(throttle.begin({ keys: [times(company, 3)] }))).toBe(3_600);
  expect(await left(company)).toEqual([2]);
});

test('of 60 concurrent charges in two processes, the rate limit admits exactly 20', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      refusal(
        (n % 2 === 0 ? throttle : second).begin({ keys: n % 3 === 0 ? [user, company] : [company, user] }),
      ),
    ),
  );
  expect(outcomes.filter((refused) => refused === null)).toHaveLength(20);
  expect(await left(company)).toEqual([40]);
});

test('a refund does not add an attempt to the next window', async () => {
  {
    await using _ended = await throttle.begin({ keys: [user] });
    await expire(-1);
    await throttle.begin({ keys: [times(user, 5)] });
  }
  expect(await left(user)).toEqual([15]);
});

test('a correct password resets the limit of email plus IP address, but not of the IP address alone', async () => {
  const pair = keyOf('passwordPair', 'a@company.test', '192.0.2.1');
  const address = keyOf('passwordAddress', '192.0.2.1');
  await throttle.begin({ keys: [times(pair, 8), times(address, 8)] });
  await expire(60_000);
  {
    await using attempt = await throttle.begin({ keys: [pair, address] });
    attempt.succeed();
  }
  expect(await left(pair, address)).toEqual([10, 92]);
  await throttle.begin({ keys: [times(pair, 10)] });
  expect(await refusal(throttle.begin({ keys: [pair] }))).toBe(900);
  expect(await throttle.wait(pair)).toBeGreaterThan(890_000);
  await throttle.reset(pair);
  expect(await throttle.wait(pair)).toBe(0);
  await throttle.begin({ keys: [times(address, 92)] });
  expect(await refusal(throttle.begin({ keys: [address] }))).toBeLessThanOrEqual(60);
});
