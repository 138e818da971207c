import { isExported } from '@propusk/contract/endpoint';
import { endpoints } from '@propusk/contract/endpoints';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
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
