import { register } from '@propusk/contract/registration';
import { createSite, listSites } from '@propusk/contract/sites';
import { companyUsers, createUser, updateUser } from '@propusk/contract/users';
import { answered, PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, inject, test } from 'vitest';

/** Sends equal requests concurrently to two api processes on one database. */

const AT_ONCE = quickOrSoak(20, 50);
const ROUNDS = quickOrSoak(1, 5);

let apis: [TestApi, TestApi];
let owner: string;
beforeAll(async () => {
  const first = await startApi(inject('serverUrl'));
  apis = [first, await startApi(inject('serverUrl'), { shared: first.database })];
  owner = (await first.company()).token;
});
afterAll(async () => {
  for (const api of apis.toReversed()) await api.close();
});

/** Sends concurrent calls to both api processes. @returns the number of replies with each status: `{201: 1, 409: 49}` */
async function atOnce(call: (api: TestApi, n: number) => Promise<{ status: number }>) {
  const replies = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => answered(() => call(apis[n % 2] ?? apis[0], n))),
  );
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return JSON.stringify(counts);
}

test(
  'of many concurrent creates with one email, edits of one version or repeated creates, exactly one succeeds',
  () =>
    threatCase(
      'races, double submit',
      'concurrent creates with one email or one key, and edits of one version, in two processes: one succeeds',
      async (tally) => {
        const [api] = apis;
        const one = (status: number) => JSON.stringify({ [status]: 1 });
        const oneOf = (won: number, lost: number) => JSON.stringify({ [won]: 1, [lost]: AT_ONCE - 1 });
        for (let round = 0; round < ROUNDS; round++) {
          const email = `race${round}@race.test`;
          const made = await atOnce((each) =>
            each.call(owner, createUser, { body: { email, password: PASSWORD } }),
          );
          tally.see(made === oneOf(201, 409), `people of one email: ${made}`);
          const names = { name: 'Компания', companyName: 'Компания', companySite: 'race.test' };
          const newcomer = { ...names, email: `new${round}@race.test`, password: PASSWORD };
          const joined = await atOnce((each, n) =>
            each.call(null, register, { body: newcomer, from: `10.9.${round}.${n}` }),
          );
          tally.see(joined === oneOf(201, 409), `companies of one email: ${joined}`);

          const { rows } = await api.must(owner, companyUsers, { query: { name: email } });
          const [person] = rows;
          tally.see(rows.length === 1 && person !== undefined, `${rows.length} people of one email`);
          const edited = await atOnce((each, n) =>
            each.call(owner, updateUser, {
              params: { id: person?.id ?? 0 },
              body: { name: `Правка ${n}` },
              headers: { 'if-match': '"1"' },
            }),
          );
          tally.see(edited === oneOf(200, 412), `edits of one version: ${edited}`);

          const address = `race${round}.example.ru`;
          const headers = { 'idempotency-key': address };
          const clicked = await atOnce((each) =>
            each.call(owner, createSite, { body: { address }, headers }),
          );
          const stored = (await api.must(owner, listSites, { query: { name: address } })).count;
          tally.see(
            clicked === one(201).replace('1}', `${AT_ONCE}}`) && stored === 1,
            `${clicked}, ${stored} rows`,
          );
        }
      },
    ),
  quickOrSoak(240_000, 300_000),
);
