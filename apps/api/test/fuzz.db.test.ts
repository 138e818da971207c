import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { Known, resolve } from '@propusk/test-kit/api/arbitrary';
import { type Attempt, attemptsAt } from '@propusk/test-kit/api/attempts';
import { type Caller, callers, createFixtures, type Fixtures } from '@propusk/test-kit/api/fixtures';
import { openapi } from '@propusk/test-kit/api/openapi-check';
import type { JsonSchema } from '@propusk/test-kit/api/openapi-types';
import { openThreatCase, quickOrSoak } from '@propusk/test-kit/threat-case';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';

// FUZZ_SEED changes the random requests. A failure prints its seed and the request.
const seed = Number(process.env.FUZZ_SEED ?? 20_260_302);
const wanted = quickOrSoak(2_500, 100_000);

const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
// A password hash takes as long as thirty requests, so a call with a password is requested a third as often as other calls.
const shares = operations.map(({ operation: { requestBody } }) =>
  hasPassword(resolve(requestBody?.content['application/json']?.schema ?? {})) ? 1 / 3 : 1,
);
const tally = openThreatCase(
  'bad input',
  'fuzzed requests to every call: none is a 5xx, and all answers are as documented',
);
const runs = wanted / shares.reduce((sum, share) => sum + share, 0);

let api: TestApi;
let fixtures: Fixtures;
let neighbour: string;
let sent = 0;
const statuses: Record<number, number> = {};

beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  fixtures = await createFixtures(api);
  neighbour = await fixtures.neighbour();
});
afterAll(() => tally.close());
afterAll(() => api.close());
beforeEach(() => fixtures.restock());

test.each(operations.map((one, place) => [`${one.method} ${one.path}`, one, place] as const))(
  'fuzzed requests to %s get documented responses without a 5xx',
  async (_, { path, method, operation }, place) => {
    const usual = callersOf(path, operation.description);
    const caller = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...usual) },
      { weight: 1, arbitrary: fc.constantFrom(...callers) },
    );
    const property = fc.asyncProperty(caller, attemptsAt(path, operation), async (who, attempt) => {
      // To a caller with the gateway key, the feed responds with an endless stream.
      await send(path === '/api/feed' && who === 'gateway' ? 'none' : who, method, attempt);
    });
    const before = sent;
    const numRuns = Math.ceil(runs * (shares[place] ?? 1));
    // Rows change between requests, so shrinking would not reproduce the failure.
    await tally.watch(
      () => fc.assert(property, { numRuns, seed: seed + place, endOnFailure: true }),
      numRuns,
    );
    expect(sent - before).toBe(numRuns);
  },
  quickOrSoak(600_000, 1_800_000),
);

test('no fuzzed request gets a 5xx status or changes a row of the second company', async () => {
  expect(sent).toBeGreaterThanOrEqual(wanted);
  const answered = (from: number) =>
    Object.entries(statuses).reduce(
      (sum, [status, n]) => (Math.floor(Number(status) / 100) === from ? sum + n : sum),
      0,
    );
  expect(answered(5), JSON.stringify(statuses)).toBe(0);
  // If all requests failed validation, the test would reach no handler.
  expect(answered(2) / sent, JSON.stringify(statuses)).toBeGreaterThan(0.05);
  expect(neighbour).toContain('policies: 6');
  expect(await fixtures.neighbour()).toBe(neighbour);
});

/** Whether a body has a user's password, which the api hashes slowly. A proxy's password is not hashed but encrypted. */
function hasPassword({ properties = {} }: JsonSchema): boolean {
  return 'password' in properties && !('host' in properties);
}

/** The callers that may make a call, according to the description of the call in the OpenAPI document. */
function callersOf(path: string, description: string): Caller[] {
  if (path.startsWith('/api/feed')) return ['gateway'];
  const named = (['USER', 'CREATOR', 'ADMIN'] as const).filter((role) => description.includes(role));
  return named.length > 0 ? named : ['USER', 'CREATOR'];
}

/** @throws Error on a 5xx or an undocumented response */
async function send(who: Caller, method: string, { segments, query, headers, body }: Attempt): Promise<void> {
  const fill = (value: unknown) => (value instanceof Known ? fixtures.find(value, who) : value);
  const path = segments.map((part) =>
    part instanceof Known ? encodeURIComponent(fixtures.find(part, who)) : part,
  );
  const token = fixtures.tokens[who];
  const faults = api.violations.length;
  const payload =
    body === null ? undefined : 'raw' in body ? body.raw : JSON.stringify(filled(body.json, fill));
  const response = await api.app.inject({
    method: method.toUpperCase() as 'GET',
    url: `/${path.join('/')}${query === '' ? '' : `?${query}`}`,
    // Each request comes from a different address, because rate limits count requests per address.
    remoteAddress: `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload !== undefined && { payload }),
  });
  sent++;
  statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1;
  const fault = api.violations[faults];
  if (fault !== undefined) throw new Error(fault);
  if (response.statusCode >= 500) throw new Error(`${response.statusCode} ${response.body}`);
  // An earlier random request ended the caller's session, so the caller signs in again.
  if (response.statusCode === 401 && token !== null && headers.authorization === undefined)
    await fixtures.revive();
}

/** Copies a value. In the copy, `fill` replaces the placeholders of ids and addresses. */
function filled(value: unknown, fill: (value: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Known) return fill(value);
  if (Array.isArray(value)) return value.map((item) => filled(item, fill));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, fill)]));
}
