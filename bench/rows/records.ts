import pg from 'pg';
import { COMPANIES, fill, OWNERS, SITES } from '../api/fill.ts';
import { startApi, startDatabase } from '../api/servers.ts';
import { timeCalls } from '../api/times.ts';
import { type Row, short } from '../harness/row.ts';

const DAY_MS = 86_400_000;
const PEOPLE = 300;
/** An indexed call must not get slower with the log. */
const calls = (
  from: string,
  to: string,
): readonly { title: string; path: string; bar: number; indexed?: true }[] => [
  { title: 'log of a person', path: `/visits?user=${OWNERS}`, bar: 200, indexed: true },
  { title: 'log of a site', path: '/visits?site=SITE', bar: 200, indexed: true },
  { title: 'log', path: '/visits', bar: 500 },
  { title: 'refusals of 30 days', path: `/visits?result=refused&from=${from}&to=${to}`, bar: 500 },
  { title: 'an address in 30 days', path: `/visits?address=203.0.113.77&from=${from}&to=${to}`, bar: 500 },
  { title: 'statistics of 30 days', path: `/statistics?from=${from}&to=${to}&step=day`, bar: 500 },
];

/** Measures the access log and the statistics of the largest company at two sizes of the platform's log. */
export const row: Row = {
  name: 'records',
  title: 'The access log and the statistics of 30 days, as the log grows thirtyfold',
  quick: false,
  run: async (bench) => {
    await using started = new AsyncDisposableStack();
    const database = started.use(await startDatabase('0,1'));
    // The api creates the schema.
    const api = started.use(await startApi(database.url, '0,1'));
    const [owner] = await fill(database.url, { companies: 64, sites: 30, policies: 3 });
    if (owner === undefined) throw new Error('no owner');
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    started.defer(() => pool.end());
    const [from, to] = [new Date(Date.now() - 30 * DAY_MS).toISOString(), new Date().toISOString()];
    const { rows } = await pool.query('select min(id) as id from sites where company_id = $1', [COMPANIES]);
    const asked = calls(from, to).map((call) => ({
      ...call,
      token: owner.token,
      path: call.path.replace('SITE', rows[0].id),
    }));
    const size = bench.quick ? 20_000 : 1_000_000;
    const times: number[][] = [];
    let bytes = 0;
    for (const [begin, end] of [
      [0, 1],
      [1, 30],
    ] as const) {
      for (let part = begin; part < end; part++) await add(pool, part, size);
      await pool.query('vacuum analyze records, record_hours');
      bytes = await bytesOf(pool);
      bench.say(`${end * size} records, ${Math.round(bytes)} bytes each`);
      times.push(await timeCalls(api.port, asked, { discarded: 2, rounds: bench.rounds * 4 }));
    }
    const at = (sized: number, call: number) => times[sized]?.[call] ?? Number.NaN;
    return {
      tables: [
        {
          title: 'p50 of a call, ms',
          head: ['', `${size} records`, `${30 * size} records`],
          lines: asked.map(({ title }, i) => [title, short(at(0, i)), short(at(1, i))]),
        },
      ],
      ratios: [
        ...asked.map(({ title: what, bar }, i) => ({
          what,
          value: at(1, i),
          bar,
          atLeast: false,
          unit: ' ms',
        })),
        ...asked.flatMap(({ title, indexed }, i) =>
          indexed
            ? [{ what: `${title}: large / small`, value: at(1, i) / at(0, i), bar: 1.3, atLeast: false }]
            : [],
        ),
        { what: 'a record with its indexes', value: bytes, bar: 400, atLeast: false, unit: 'bytes' },
      ],
      notes: [
        'A third of the records belong to the measured company. Its 300 people work nine hours a day with four sites each; a fiftieth of the records are refusals.',
      ],
    };
  },
};

/** Adds records of the last 30 days in the order of time, and their sums by hour. */
async function add(pool: pg.Pool, part: number, size: number): Promise<void> {
  await pool.query(`
    with made as (
      insert into records (id, started_at, company_id, user_id, site_id, policy_id, up, down, ms, run, count, port, kind, state, reason, address, host)
      select gen_random_uuid(), at, c, ${OWNERS} + u, case when refused then null else ${SITES} + (c - ${COMPANIES}) * 30 + s end,
        case when refused then null else 1 end, 1500, 40000, 90000, 1, 1, 443, case when refused then 'refusal' else 'tunnel' end, 'closed',
        case when refused then 'no_policy' else '' end, '203.0.113.' || u % 250, 's' || s || '.c' || c || '.bench.test'
      from generate_series(0, ${size - 1}) i, lateral (select (${part} + i / ${size}.0) as days) t,
        lateral (select now() - interval '30 days' + interval '1 day' * floor(days) + interval '9 hours' * (days - floor(days)) as at,
          case when i % 3 = 0 then ${COMPANIES} else ${COMPANIES} + i % 64 end as c, i / 3 % ${PEOPLE} as u, i % 50 = 0 as refused) v,
        lateral (select (u * 7 + i / 1000 % 4) % 30 as s) w
      returning *
    )
    insert into record_hours as h select company_id, date_trunc('hour', started_at, 'UTC'), user_id, coalesce(site_id, 0), reason, case when reason = '' then '' else host end,
      count(*), sum(count), sum(up), sum(down) from made group by 1, 2, 3, 4, 5, 6
    on conflict (company_id, hour, user_id, site_id, reason, host) do update set visits = h.visits + excluded.visits,
      count = h.count + excluded.count, up = h.up + excluded.up, down = h.down + excluded.down`);
}

async function bytesOf(pool: pg.Pool): Promise<number> {
  const { rows } =
    await pool.query(`select (select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = 'records'::regclass)::float
    / (select count(*) from records) as bytes`);
  return rows[0].bytes;
}
