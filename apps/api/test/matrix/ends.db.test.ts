import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { byName, partsOf } from '@propusk/test-kit/matrix/calls';
import { rows } from '@propusk/test-kit/matrix/rows';
import { type Snapshot, takeSnapshot } from '@propusk/test-kit/matrix/snapshot';
import { callers, createWorld, type World } from '@propusk/test-kit/matrix/world';
import { isInTurn } from '@propusk/test-kit/turns';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/**
 * Sends every call of the permission matrix to companies in which every right has an end. A call that does not set an end must
 * not change one.
 */

let api: TestApi;
let world: World;
let snapshot: Snapshot;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  world = await createWorld(api);
  await api.database.pool.query(`
    update policies set valid_from = now() - interval '2 days', valid_until = now() - interval '1 day', windows = '[[540, 1080]]', zone = 'Asia/Tokyo';
    update timed_members set ends_at = now() - interval '1 day' - make_interval(secs => user_id)`);
  snapshot = await takeSnapshot(api.database.pool);
});
afterAll(() => api.close());

/** The ends of rights, by the policy or membership that they belong to. */
async function ends(): Promise<Map<string, string>> {
  const { rows: found } = await api.database.pool.query<{ name: string; ends: string }>(`
    select 'policy ' || id as name, (valid_from, valid_until, windows, zone)::text as ends from policies
    union all select concat_ws(' ', 'member', policy_id, user_id), ends_at::text from policy_members`);
  return new Map(found.map((each) => [each.name, each.ends]));
}

test('no call of the api without an end in its body changes the end of an existing right', async () => {
  const before = await ends();
  expect(
    [...before].filter(([name, end]) => name.startsWith('member') && end !== null).length,
  ).toBeGreaterThan(2);
  const changed: string[] = [];
  let sent = 0;
  for (const [at, { call, target, expected }] of rows.entries()) {
    for (const caller of callers) {
      const endpoint = byName.get(call);
      if (endpoint === undefined || expected[caller].status >= 300 || call.startsWith('GET') || !isInTurn(at))
        continue;
      sent += 1;
      const standing = world.standing[caller];
      await api.call(standing.token, endpoint, partsOf(call, target, { world, caller: standing }));
      const after = await ends();
      for (const [name, end] of before)
        if (after.has(name) && after.get(name) !== end)
          changed.push(`${call}, ${target.text}, ${caller}: ${name}`);
      await snapshot.restore();
    }
  }
  expect(changed).toEqual([]);
  expect(sent).toBeGreaterThan(30);
});
