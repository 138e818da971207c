import { once } from 'node:events';
import { type IncomingMessage, get as request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { listAudit } from '@propusk/contract/audit';
import { isExported } from '@propusk/contract/endpoint';
import { endpoints } from '@propusk/contract/endpoints';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { exportVisits } from '@propusk/contract/records';
import { createSites } from '@propusk/contract/sites';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const sql = (text: string, ...values: unknown[]) => api.database.pool.query(text, values);

/** Exports a list. Reads the CSV strictly by RFC 4180: every cell is quoted, a quote is doubled, a row ends with CRLF. */
async function exported(token: string, path: string) {
  const { statusCode, headers, body } = await api.app.inject({
    url: `/api${path}`,
    headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
  });
  expect([statusCode, headers['content-type'], headers.vary]).toEqual([
    200,
    'text/csv; charset=utf-8',
    expect.stringContaining('Accept'),
  ]);
  expect(body.startsWith('\uFEFF"')).toBe(true);
  const rows: string[][] = [[]];
  for (let rest = body.slice(1); rest !== ''; ) {
    const [match, value, end] = /^"((?:[^"]|"")*)"(;|\r\n)/.exec(rest) ?? [];
    if (match === undefined || value === undefined) throw new Error(`no cell at ${rest.slice(0, 40)}`);
    rows.at(-1)?.push(value.replaceAll('""', '"'));
    rest = rest.slice(match.length);
    if (end === '\r\n' && rest !== '') rows.push([]);
  }
  const [titles = [], ...lines] = rows;
  expect(lines.every((line) => line.length === titles.length)).toBe(true);
  const name = /UTF-8''(.*)$/.exec(String(headers['content-disposition']))?.[1] ?? '';
  return { titles, lines, file: decodeURIComponent(name) };
}

async function company() {
  const { token } = await api.company();
  const id = (await api.must(token, me)).company?.id ?? 0;
  const agent = await api.agent(token);
  const addresses = Array.from({ length: 30 }, (_, n) => `s${n}.c${id}.example.ru`);
  const body = addresses.map((address) => ({ address }));
  const { rows } = await api.must(token, createSites, { body });
  const sites = rows.slice(0, 3).map((site) => site.id);
  const policy = { name: `Продажи ${id}`, proxyId: 1, users: [agent.id], sites };
  await api.must(token, createPolicy, { body: policy });
  return { token, id, agent, addresses };
}

test('an exported list has all rows of the filter, labels instead of codes, and times of the company', async () => {
  const { token, id, addresses } = await company();
  await sql(
    `update companies set time_zone = 'Asia/Tokyo', company_name = 'ООО "Ромашка"/1' where id = $1`,
    id,
  );
  await sql(`update sites set created_at = '2026-03-14T22:30:00Z' where company_id = $1`, id);
  const { titles, lines, file } = await exported(
    token,
    '/domain-allowed?access=none&order=DESC&take=10&page=2',
  );
  expect(file).toBe('Сайты ООО  Ромашка  1.csv');
  expect(titles).toEqual(['Адрес', 'Защита', 'Политики доступа', 'Посещение', 'Создано', 'Изменено']);
  expect(lines.map(([address]) => address)).toEqual(addresses.slice(3).toReversed());
  expect(lines[0]?.slice(1, 5)).toEqual(['Не проверен', '', 'никогда', '15.03.2026 07:30:00']);
});

test('a name with line ends, quotes or a formula stays in one cell, which no spreadsheet runs', async () => {
  const { token, id, agent } = await company();
  for (const name of [
    'a\r\n"forged";"row"',
    "=cmd|'/C calc'!A0",
    '+1',
    '-1',
    '@SUM(1)',
    '\t=1',
    '\u202eevil',
  ]) {
    await sql('update users set name = $1, surname = $1 where id = $2', name, agent.id);
    const { lines } = await exported(token, '/users/company?role=USER');
    const shown = name.replace('\u202e', '\\u202e');
    expect(lines.map((line) => line.slice(0, 2))).toEqual([
      Array(2).fill(/^[a\\]/.test(shown) ? shown : `'${shown}`),
    ]);
  }
  await sql("update users set email = 'anna@xn--80a1acny.xn--p1ai' where id = $1", agent.id);
  expect((await exported(token, '/users/company?role=USER')).lines[0]?.[2]).toBe('anna@почта.рф');
  await sql('delete from users where id = $1', agent.id);
  const none = await exported(token, '/users/company?role=USER');
  expect([none.lines, none.titles.length, id]).toEqual([[], 8, id]);
});

test('every list that the contract exports replies with a CSV of the caller’s company only', async () => {
  const [home, other] = [await company(), await company()];
  const admin = await createAdmin(api);
  const lists = endpoints.filter(isExported);
  expect(lists.map(({ path }) => path).toSorted()).toEqual([
    '/audit',
    '/company',
    '/domain-allowed',
    '/politics',
    '/proxy',
    '/proxy/admin',
    '/users',
    '/users/company',
  ]);
  for (const { path, access } of lists) {
    const ofOwner = access.includes('CREATOR');
    const { lines, titles } = await exported(ofOwner ? home.token : admin, path);
    expect(lines.length).toBeGreaterThan(0);
    expect([path, titles.filter((title) => /^[a-z]/i.test(title))]).toEqual([path, []]);
    if (ofOwner) expect(JSON.stringify(lines)).not.toContain(`c${other.id}.`);
  }
  const { lines } = await exported(admin, '/users');
  expect(lines.length).toBeGreaterThan(3);
});

test('an exported list of policies has the names of its users and sites', async () => {
  const { token, id, agent, addresses } = await company();
  const { titles, lines } = await exported(token, '/politics');
  expect(titles.slice(0, 5)).toEqual(['Название', 'Описание', 'Прокси', 'Пользователи', 'Сайты']);
  expect(lines.map((line) => [line[0], line[3], line[4]])).toEqual([
    [`Продажи ${id}`, agent.email, addresses.slice(0, 3).join(', ')],
  ]);
});

test('a USER exports the own sites without verdicts and visits', async () => {
  const { agent, addresses } = await company();
  const { titles, lines } = await exported(agent.token, '/domain-allowed');
  expect(titles).toEqual(['Адрес', 'Политики доступа', 'Создано', 'Изменено']);
  expect(lines.map(([address]) => address)).toEqual(addresses.slice(0, 3));
});

test('the export of more than 5,000 rows is refused, and a narrower export has all rows', async () => {
  const admin = await createAdmin(api);
  await sql(
    `insert into companies (company_name, company_site) select 'Много ' || n, 'many.test' from generate_series(1, 5001) n`,
  );
  const get = (query: string) =>
    api.app.inject({
      url: `/api/company${query}`,
      headers: { authorization: `Bearer ${admin}`, accept: 'text/csv' },
    });
  const refused = await get('');
  expect([refused.statusCode, refused.json()]).toEqual([
    422,
    expect.objectContaining({ code: 'too_many_rows' }),
  ]);
  const { lines } = await exported(admin, `/company?name=${encodeURIComponent('Много 1')}`);
  // The numbers to 5001 with a digit 1.
  expect(lines.length).toBe(2085);
});

/** Sets the audit of a company to events whose CSV exceeds the socket buffers. */
const fillAudit = (companyId: number, rows: number, bytesOfChanges: number) =>
  sql(
    `insert into audit (company_id, company, actor_id, actor_name, actor_email, actor_roles, address, action, object_kind, object_id,
        object_name, changes)
      select $1, '', 1, repeat('x', 2500), 'a@a.test', '{CREATOR}', '203.0.113.5', 'changed', 'site', n, 'site', json_build_object(
        'description', json_build_object('before', repeat(md5(n::text), $3 / 32)))
      from generate_series(1, $2::int) n`,
    companyId,
    rows,
    bytesOfChanges,
  );

/** Opens an export without reading its body. */
async function open(url: string, token: string): Promise<IncomingMessage> {
  const sent = request(url, {
    agent: false,
    headers: { authorization: `Bearer ${token}`, accept: 'text/csv' },
  });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

test('while clients do not read their exports, the api holds only the finished files and still serves other calls', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heapMb = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const { token, id } = await company();
  const owners = await Promise.all(Array.from({ length: 9 }, () => api.agent(token)));
  await sql("update users set roles = '{CREATOR}' where company_id = $1", id);
  await fillAudit(id, 2_500, 20_000);
  const url = `${await api.app.listen({ port: 0, host: '127.0.0.1' })}/api/audit`;
  const before = heapMb();
  const begun: IncomingMessage[] = [];
  for (const owner of owners.slice(0, 8)) begun.push(await open(url, owner.token));
  expect(begun.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
  // The changes of these events take 50 MB. The api must not keep them in memory.
  expect(heapMb() - before).toBeLessThan(60);
  const busy = { status: 503, error: { code: 'busy' } };
  for (const each of [owners[0], owners[8]]) {
    expect((await open(url, each?.token ?? '')).statusCode).toBe(503);
    expect(await api.call(each?.token ?? '', exportVisits)).toMatchObject(busy);
  }
  expect((await api.must(token, listAudit)).count).toBeGreaterThan(2_500);
  const other = await company();
  expect((await exported(other.token, '/audit')).lines.length).toBeGreaterThan(0);
  for (const response of begun) response.destroy();
  await expect.poll(async () => (await api.call(token, exportVisits)).status).toBe(200);
});

test('the export of more than 8 MB is refused, and a narrower export has all rows', async () => {
  const { token, id } = await company();
  await fillAudit(id, 4_000, 0);
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
  const refused = await api.app.inject({ url: '/api/audit', headers });
  expect([refused.statusCode, refused.json().code]).toEqual([422, 'too_many_rows']);
  expect((await exported(token, '/audit?action=created')).lines.length).toBeGreaterThan(0);
});
