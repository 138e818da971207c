import { login } from '@propusk/contract/auth';
import { DEVICE_HEADER } from '@propusk/contract/endpoint';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { appCode } from '@propusk/test-kit/api/app-code';
import { enrol } from '@propusk/test-kit/api/authenticator';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

let addresses = 0;
const signIn = (body: { email: string; password?: string; code?: string }, mark?: string) =>
  api.call(null, login, {
    body: { password: PASSWORD, ...body },
    from: `10.9.0.${addresses++}`,
    ...(mark !== undefined && { headers: { [DEVICE_HEADER]: mark } }),
  });

test('a sign-in takes at most 5 round trips to the database', async () => {
  const { email } = await api.company();
  const known = String((await signIn({ email })).headers[DEVICE_HEADER]);
  const other = await api.company();
  const { secret } = await enrol(api, other.token);
  const code = appCode(secret);
  expect(await counted(() => signIn({ email }))).toEqual({ status: 200, statements: 10, trips: 4 });
  expect(await counted(() => signIn({ email }, known))).toEqual({ status: 200, statements: 10, trips: 4 });
  const withCode = await counted(() => signIn({ email: other.email, code }));
  expect(withCode).toEqual({ status: 200, statements: 11, trips: 5 });
  const needed = await counted(() => signIn({ email: other.email }));
  expect(needed).toEqual({ status: 401, statements: 3, trips: 3 });
  for (const wrong of [
    { email: 'nobody@company.test' },
    { email, password: 'wrong horse' },
    { email: other.email, password: 'wrong horse', code },
  ])
    expect(await counted(() => signIn(wrong))).toEqual({ status: 401, statements: 2, trips: 2 });
});

/** Counts the statements and round trips of a call. A statement that is sent after a reply begins another round trip. */
async function counted(work: () => Promise<{ status: number }>) {
  const sent: number[] = [];
  let answered = 0;
  const query = pg.Client.prototype.query as (...given: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    const [first] = given as unknown as [string | { text: string }];
    // The periodic query of the database watchdog is not counted.
    if (first !== 'select 1') sent.push(answered);
    const answer = query.apply(this, given);
    const count = () => void answered++;
    answer.then(count, count);
    return answer as never;
  });
  const { status } = await work();
  spy.mockRestore();
  return { status, statements: sent.length, trips: new Set(sent).size };
}
