import { endpoints } from '@propusk/contract/endpoints';
import { startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { byName, nameOf, partsOf } from '@propusk/test-kit/matrix/calls';
import { declaredKeys, entityFields, hostileKeys, poisons, withKeys } from '@propusk/test-kit/matrix/hostile';
import { rows, type Target } from '@propusk/test-kit/matrix/rows';
import { type Snapshot, takeSnapshot } from '@propusk/test-kit/matrix/snapshot';
import { type Caller, createWorld, type World } from '@propusk/test-kit/matrix/world';
import { openThreatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { passwordPlace } from '../src/encryption.ts';

let api: TestApi;
let world: World;
let snapshot: Snapshot;
let keys: ReadonlyMap<string, unknown>;
/** The password hash that all fixture users share. */
let oldHash: unknown;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  world = await createWorld(api);
  snapshot = await takeSnapshot(api.database.pool);
  const people = (await snapshot.dump()).users ?? [];
  oldHash = people[0]?.password_hash;
  const { rows: columns } = await api.database.pool.query<{ name: string }>(
    `select distinct column_name::text as name from information_schema.columns where table_schema = 'public'`,
  );
  keys = hostileKeys(
    columns.map(({ name }) => name),
    world,
  );
});
const tally = openThreatCase(
  'mass assignment',
  'undeclared and prototype keys in the body of every write: the same rows as without them',
);
afterAll(() => tally.close());
afterAll(() => api.close());

/**
 * Calls with a body, each with the callers to test. A call that succeeds without a session is tested without a session only.
 * Any other call is tested with those of the callers gateway, owner and ADMIN for whom the call succeeds.
 */
const writes = rows.flatMap(({ call, target, expected }) => {
  if (byName.get(call)?.body === undefined) return [];
  const may = (caller: Caller) => expected[caller].status < 300;
  const callers: Caller[] = may('anon') ? ['anon'] : (['gate', 'CREATOR', 'ADMIN'] as const).filter(may);
  return callers.map((caller) => [`${call}, ${target.text}, ${caller}`, { call, target, caller }] as const);
});

test('the mass-assignment test covers all calls that have a body, and all fields of entities', () => {
  const tried = new Set(writes.map(([, { call }]) => call));
  const withBody = endpoints.filter(({ body }) => body !== undefined).map(nameOf);
  expect(withBody.filter((name) => !tried.has(name))).toEqual([]);
  const fields = entityFields();
  expect(fields.filter((field) => !keys.has(field))).toEqual([]);
  expect([...keys.keys()].filter((key) => !fields.includes(key)).length).toBeGreaterThan(20);
});

describe('undeclared keys of a body', () => {
  test.each(writes)('undeclared keys do not change the rows that %s stores', async (_, write) =>
    tally.watch(async () => {
      const { body, schema } = plain(write);
      const honest = await outcome(write, body);
      expect(honest.status).toBeLessThan(300);
      const hostile = withKeys(body, schema, keys);
      expect(Object.keys(Array.isArray(hostile) ? hostile[0] : hostile).length).toBeGreaterThan(
        declaredKeys(schema).length + 20,
      );
      expect(await outcome(write, hostile)).toEqual(honest);
    }, keys.size),
  );

  test.each(writes)(
    'prototype keys in the body pollute no prototype and change no stored row: %s',
    async (_, write) =>
      tally.watch(async () => {
        const { body, schema } = plain(write);
        const honest = await outcome(write, body);
        for (const poison of poisons) {
          const hostile = withKeys(body, schema, new Map(Object.entries(JSON.parse(poison))));
          const actual = await outcome(write, hostile);
          // The api can either refuse the body with 400 or ignore the undeclared key.
          if (actual.status === 400) expect(actual.stored, poison).toEqual(await untouched());
          else expect(actual, poison).toEqual(honest);
          expect(({} as { polluted?: true }).polluted).toBeUndefined();
        }
      }, poisons.length),
  );
});

interface Write {
  readonly call: string;
  readonly target: Target;
  readonly caller: Caller;
}

function plain({ call, target, caller }: Write) {
  const schema = byName.get(call)?.body;
  if (schema === undefined) throw new Error(`${call} has no body`);
  return { schema, body: partsOf(call, target, { world, caller: world.standing[caller] }).body };
}

/** Makes the call and restores the database. @returns the status and all rows after the call */
async function outcome({ call, target, caller }: Write, body: unknown) {
  const endpoint = byName.get(call);
  if (endpoint === undefined) throw new Error(`the contract has no ${call}`);
  const standing = world.standing[caller];
  const { params } = partsOf(call, target, { world, caller: standing });
  const { status } = await api.call(standing.token, endpoint, { ...(params && { params }), body });
  // The api creates mail links after it has sent the response, so the test waits until the database has changed.
  await snapshot.changed(target.which === 'known' && status < 300);
  const stored = await storedRows();
  await snapshot.restore();
  return { status, stored };
}

let first: Record<string, string[]> | undefined;
const untouched = async () => (first ??= await storedRows());

/** Reads the rows of each table as sorted text. Replaces values that differ between identical calls. */
async function storedRows(): Promise<Record<string, string[]>> {
  const stored: Record<string, string[]> = {};
  for (const [table, dumped] of Object.entries(await snapshot.dump())) {
    if (table === 'rate_limits') continue;
    const texts = dumped.map((row) =>
      JSON.stringify(row, (column, value: unknown) => settled(column, value, row)),
    );
    stored[table] = texts.toSorted((a, b) => a.localeCompare(b));
  }
  return stored;
}

function settled(column: string, value: unknown, row: Record<string, unknown>): unknown {
  if (column === 'token_hash' || column === 'code_hash') return 'a hash';
  // These values are random or derived from the clock, so identical calls store different values.
  if (column === 'secret_sealed') return 'a secret';
  if (column === 'key_sealed') return value === null ? null : 'a key';
  if (column === 'recordsCutAt') return 'a time';
  if (column === 'last_step') return Number(value) > 0;
  if (column === 'password_hash') return value === oldHash ? 'as it was' : 'another one';
  if (column === 'password_sealed' && typeof value === 'string') {
    const place = passwordPlace(Number(row.owner_id), {
      id: Number(row.id),
      host: String(row.host),
      port: Number(row.port),
    });
    return testEncryption.open(place, Buffer.from(value.slice(2), 'hex'));
  }
  if (column.endsWith('_at') || column === 'support_until') {
    const minutes = (Date.parse(String(value)) - Date.now()) / 60_000;
    // A timestamp within 45 days of the current time comes from the api's clock, so identical calls store different values.
    if (Math.abs(minutes) < 45 * 24 * 60) return minutes > 0 ? 'to come' : 'just now';
  }
  return value;
}
