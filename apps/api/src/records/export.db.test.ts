import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { logout } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { exportVisits, listVisits, type Visit } from '@propusk/contract/records';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/** The number of visits of a large export. The export exceeds the socket buffers, so the api waits for the client. */
const MANY = 50_000;

let api: TestApi;
let url: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  url = `${await api.app.listen({ port: 0, host: '127.0.0.1' })}/api/visits/export`;
});
afterAll(() => api.close());

/** Creates a company with this many visits, two in each second. */
async function company(rows: number, host = 'crm.example.ru') {
  const { token } = await api.company();
  const { company: own, id } = await api.must(token, me);
  await api.database.pool.query(
    `insert into records select gen_random_uuid(), date_trunc('milliseconds', now()) - n / 2 * interval '1 s', $1, $2, null, null,
      null, 100, 2000, 1500, 1, 1, 443, 'tunnel', 'closed', '', '203.0.113.5', $3 from generate_series(1, $4::int) n`,
    [own?.id, id, host, rows],
  );
  return { token, id };
}

/** Opens an export without reading its body. `fetch` would open further sockets, which delay the close of a server. */
async function open(token: string, at = url, more = {}): Promise<IncomingMessage> {
  const request = get(at, { agent: false, headers: { authorization: `Bearer ${token}`, ...more } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function readAll(response: IncomingMessage): Promise<Visit[]> {
  const lines = (await text(response)).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Visit);
}

test('an export contains the same rows as the access log with the same filters, in the same order', async () => {
  const [home] = [await company(70), await company(5)];
  const { rows } = await api.must(home.token, listVisits, { query: { take: 100 } });
  const exported = async (query: object) => (await api.call(home.token, exportVisits, { query })).body;
  expect(await exported({})).toEqual(rows);
  expect(rows).toHaveLength(70);
  const period = { from: rows.at(30)?.startedAt, to: rows.at(10)?.startedAt };
  expect(await exported({ ...period, result: 'allowed' })).toHaveLength(20);
  expect(await exported({ ...period, result: 'refused' })).toEqual([]);
  const refused = await api.call(home.token, exportVisits, { query: { result: 'refused' } });
  expect(refused).toMatchObject({ status: 400, error: { fields: { from: expect.any(String) } } });
});

test('an export writes one line for each visit, even if host and user name contain line ends', async () => {
  const evil = ['a\r\n{"id":"forged"}', "=cmd|'/C calc'!A0", '"quoted"\t\u2028', '-1+1', '@SUM(1)'];
  for (const text of evil) {
    const { token, id } = await company(1, text);
    await api.database.pool.query('update users set name = $1, surname = $2 where id = $3', [text, '', id]);
    const rows = await readAll(await open(token));
    expect(rows).toMatchObject([{ host: text, user: { name: text } }]);
  }
});

test('an exported CSV has labels instead of codes, and times in the time zone of the company', async () => {
  const { token, id } = await company(1);
  const sql = (text: string, ...values: unknown[]) => api.database.pool.query(text, values);
  const { company: own } = await api.must(token, me);
  const email = 'anna@почта.рф';
  await sql(
    "update users set email = 'anna@xn--80a1acny.xn--p1ai', name = '', surname = '' where id = $1",
    id,
  );
  expect((await api.must(token, listVisits)).rows[0]?.user?.name).toBe(email);
  await sql(
    "update records set started_at = '2026-03-14T22:30:00Z', kind = 'refusal', reason = 'no_policy', client = 'curl' where user_id = $1",
    id,
  );
  await sql(
    `update companies set time_zone = 'Asia/Tokyo', company_name = 'ООО "Ромашка"/1' where id = $1`,
    own?.id,
  );
  const period = `${url}?from=2026-03-14T15:00:00Z&to=2026-03-15T15:00:00Z`;
  const csv = { accept: 'text/csv' };
  // Browsers send this Accept-Encoding.
  const refused = await open(token, `${url}?result=refused`, { ...csv, 'accept-encoding': 'gzip, br' });
  expect([refused.statusCode, refused.headers['content-encoding']]).toEqual([400, undefined]);
  expect(await json(refused)).toMatchObject({ code: 'bad_input' });
  const response = await open(token, period, csv);
  expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
  const name = /UTF-8''(.*)$/.exec(response.headers['content-disposition'] ?? '')?.[1] ?? '';
  expect(decodeURIComponent(name)).toBe('Журнал доступа ООО  Ромашка  1 с 15.03.2026 по 15.03.2026.csv');
  const [titles = '', line = '', rest] = (await text(response)).split('\r\n');
  expect(rest).toBe('');
  expect(titles.startsWith('"Начало";"')).toBe(true);
  const cells = line.slice(1, -1).split('";"');
  expect(cells.slice(2, 4)).toEqual([email, email]);
  expect(cells).toHaveLength(titles.split(';').length);
  expect(cells).toEqual(
    expect.arrayContaining(['15.03.2026 07:30:00', email, 'Отказ', 'Нет политики доступа', 'curl']),
  );
});

test('an export breaks the connection when its session ends', async () => {
  const { token } = await company(MANY);
  const begun = await open(token);
  await api.must(token, logout);
  await expect(readAll(begun)).rejects.toThrow('aborted');

  const other = await company(MANY);
  const rows = await readAll(await open(other.token));
  expect(new Set(rows.map(({ id }) => id)).size).toBe(MANY);
  expect(rows).toHaveLength(MANY);
});

test('an export breaks the connection when a database query fails', async () => {
  const begun = await open((await company(MANY)).token);
  await api.database.pool.query('alter table records rename to records_away');
  await expect(readAll(begun)).rejects.toThrow('aborted');
  await api.database.pool.query('alter table records_away rename to records');
});

test('an export starts at once while slow clients of other companies read exports', async () => {
  const homes = await Promise.all(Array.from({ length: 4 }, () => company(MANY / 2)));
  const own = homes[0]?.token ?? '';
  const colleagues = await Promise.all([0, 1, 2].map(() => api.agent(own)));
  const ids = colleagues.map(({ id }) => id);
  await api.database.pool.query("update users set roles = '{CREATOR}' where id = any($1)", [ids]);
  const begun = await Promise.all([...homes, ...colleagues].map(({ token }) => open(token)));
  expect(begun.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200, 200, 200]);
  // These exports wait, because their clients read nothing and the socket buffers are full.
  const elapsed = stopwatch();
  const { token: fifth } = await company(3);
  expect(await api.call(fifth, exportVisits)).toMatchObject({ status: 200, body: { length: 3 } });
  expect(elapsed()).toBeLessThan(5_000);
  expect(await api.call(own, exportVisits)).toMatchObject({ status: 503, error: { code: 'busy' } });
  begun[0]?.destroy();
  await expect.poll(async () => (await api.call(own, exportVisits)).status).toBe(200);
  for (const response of begun) response.destroy();
});

test('a client that does not read its export does not delay the shutdown', async () => {
  const own = await startApi(inject('serverUrl'), { shared: api.database });
  const { token } = await company(MANY);
  const begun = await open(
    token,
    `${await own.app.listen({ port: 0, host: '127.0.0.1' })}/api/visits/export`,
  );
  const elapsed = stopwatch();
  await own.close();
  expect(elapsed()).toBeLessThan(3_000);
  await expect(readAll(begun)).rejects.toThrow('aborted');
});
