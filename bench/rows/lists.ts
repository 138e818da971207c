import { newToken } from '@propusk/api/core/tokens';
import pg from 'pg';
import { COMPANIES, fill, OWNERS, type Owner } from '../api/fill.ts';
import { startApi, startDatabase } from '../api/servers.ts';
import { timeCalls } from '../api/times.ts';
import { type Row, short } from '../harness/row.ts';

const FEW = 50;
const MANY = 1_000;
const PLATFORM = 5_000;
const BAR = 1.3;
/** A filter without an index of its own reads all rows of the list, because the reply counts the matching ones. */
const FILTER_BAR = 2.5;
const BULK = 500;
const BULK_MS = 2_000;
const page = 'page=1&take=10&name=';
const ofOwner = [
  `/users/company?${page}`,
  `/users/company?${page}&access=none`,
  `/users/company?${page}&visited=never`,
  `/domain-allowed?${page}`,
  `/domain-allowed?${page}&protection=unchecked`,
  `/domain-allowed?${page}&access=none&visited=never`,
];
const ofAdmin = [
  `/users?${page}`,
  `/users?${page}&role=CREATOR`,
  `/users?${page}&invited=true`,
  `/domain-allowed?${page}`,
  `/domain-allowed?${page}&protection=unchecked`,
];

/** Measures the first page of lists and filters at two sizes of a company and of the platform. */
export const row: Row = {
  name: 'lists',
  title: `The first page of a list: ${MANY} rows of a company and ${PLATFORM} of the platform beside ${FEW}`,
  quick: false,
  run: async ({ rounds }) => {
    await using started = new AsyncDisposableStack();
    const database = started.use(await startDatabase('0,1'));
    const api = started.use(await startApi(database.url, '0,1'));
    const [small, large] = await fill(database.url, { companies: 2, sites: 1, policies: 3 });
    if (small === undefined || large === undefined) throw new Error('no owners');
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    started.defer(() => pool.end());
    const admin = await addAdmin(pool);
    const measured = (owner: Owner, token: string) =>
      timeCalls(
        api.port,
        [
          ...ofOwner.map((path) => ({ path, token: owner.token })),
          ...ofAdmin.map((path) => ({ path, token })),
        ],
        { discarded: 10, rounds: rounds * 40 },
      );
    await add(pool, 0, FEW);
    const few = await measured(small, admin);
    await add(pool, 1, MANY);
    // The platform has many small companies, because the time of an owner’s list must depend only on the rows of the owner’s company.
    for (let company = 2; company < 6; company++) await add(pool, company, MANY);
    const many = await measured(large, admin);
    const titles = [...ofOwner.map((path) => `owner ${path}`), ...ofAdmin.map((path) => `ADMIN ${path}`)];
    return {
      tables: [
        {
          title: 'p50, ms',
          head: ['', 'few rows', 'many rows'],
          lines: titles.map((title, i) => [title, short(few[i] ?? 0), short(many[i] ?? 0)]),
        },
      ],
      ratios: [
        ...titles.map((title, i) => {
          const what = `${title}: many / few`;
          const bar = title.endsWith(page) ? BAR : FILTER_BAR;
          return { what, value: (many[i] ?? 0) / (few[i] ?? 0), bar, atLeast: false };
        }),
        {
          what: `Add ${BULK} sites and ${BULK} users to a policy`,
          value: await addMembers(api.port, large.token),
          bar: BULK_MS,
          atLeast: false,
          unit: ' ms',
        },
      ],
      notes: ['A tenth of the users and sites are in no policy, half have a last visit, half a probe.'],
    };
  },
};

async function addAdmin(pool: pg.Pool): Promise<string> {
  const { token, hash } = newToken();
  await pool.query(`insert into users (id, email, name, surname, password_hash, roles)
    values (${OWNERS + 10}, 'admin@bench.test', 'Ирина', 'Соколова', '', '{ADMIN}')`);
  const session = `insert into sessions (token_hash, user_id, expires_at) values ($1, ${OWNERS + 10}, now() + interval '1 day')`;
  await pool.query(session, [hash]);
  return token;
}

/** Adds users and sites to a company, which it creates if needed. */
async function add(pool: pg.Pool, company: number, count: number): Promise<void> {
  const id = COMPANIES + company;
  await pool.query(`insert into companies (id, company_name, company_site) values (${id}, 'Company', 'c.test') on conflict do nothing;
    insert into policies (company_id, name, description, proxy_owner_id, proxy_id)
      select ${id}, 'Policy', 'Policy', owner_id, id from proxies where direct;
    insert into users (company_id, email, name, surname, password_hash, roles, invited)
      select ${id}, 'user' || n || '@c${company}.test', 'Ирина', 'Соколова', '', '{USER}', n % 20 = 0 from generate_series(1, ${count}) n;
    insert into sites (company_id, address, shown_address)
      select ${id}, a, a from generate_series(1, ${count}) n, lateral (select 'site' || n || '.c${company}.test') named (a);
    insert into policy_users select u.company_id, max(p.id), u.id from users u join policies p using (company_id)
      where u.company_id = ${id} and u.id % 10 <> 0 group by 1, 3 on conflict do nothing;
    insert into policy_sites select s.company_id, max(p.id), s.id from sites s join policies p using (company_id)
      where s.company_id = ${id} and s.id % 10 <> 0 group by 1, 3 on conflict do nothing;
    insert into site_checks (company_id, site_id, state, shown_verdict, shown_at)
      select company_id, id, 'done', 'protected', now() from sites where company_id = ${id} and id % 2 = 0
      on conflict (company_id, site_id) do update set shown_verdict = excluded.shown_verdict, shown_at = now();
    insert into last_visits select company_id, id, 0, now() from users where company_id = ${id} and id % 2 = 0
      union all select company_id, 0, id, now() from sites where company_id = ${id} and id % 2 = 0`);
  await pool.query('vacuum analyze');
}

/** Adds sites and users of a company to its first policy. @returns the time of the call in ms */
async function addMembers(port: number, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = async (path: string, body?: object) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(`http://127.0.0.1:${port}/api${path}`, { headers, ...init });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as { ids: number[]; rows: { id: number }[] };
  };
  const { rows } = await ask('/politics');
  const idsOf = async (list: string) => (await ask(`${list}/ids`)).ids.slice(-BULK);
  const body = { addSites: await idsOf('/domain-allowed'), addUsers: await idsOf('/users/company') };
  const begun = performance.now();
  await ask(`/politics/${rows[0]?.id}/members`, body);
  return performance.now() - begun;
}
