import { testEncryption } from '@propusk/test-kit/api/api';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Member } from '../../src/core/actor.ts';
import { committing } from '../../src/db/after-commit.ts';
import type { Tx } from '../../src/db/open.ts';
import { createTeller } from '../../src/mail/tell-holder.ts';
import { readProbeProxy, saveEgress } from '../../src/probe/egress-store.ts';
import { startPlanKeeper } from '../../src/tariff/keeper.ts';
import { createRequest } from '../../src/tariff/requests.ts';
import { takeTask } from '../../src/vantage/task-store.ts';

/** The rows of company n have the ids 10 n + 1, 10 n + 2 and so on. */
const COMPANIES = 10_000;
const n = COMPANIES / 2;
const id = 10 * n + 1;
/** The number of a company whose proxy has no policies. */
const spare = 77;
const outbox = { encryption: testEncryption, wake: () => {} };

/** @returns SQL that applies one clause of ALTER TABLE to every table and partition */
const alterTables = (clause: string) => `do $$ declare t text; begin
    for t in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
      execute format('alter table %I ${clause}', t);
    end loop;
  end $$`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase(inject('serverUrl'));
  await database.pool.query(`set statement_timeout = 0;
    ${alterTables('disable trigger user')};
    -- The pages that a background ANALYZE reads would count as read by the work.
    ${alterTables('set (autovacuum_enabled = false)')};
    create temporary table c as select n as id, 10 * n + 1 as one from generate_series(1, ${COMPANIES}) as n;
    insert into companies (id, company_name, company_site, plan_ends_at) select id, 'c' || id, 'c' || id || '.test', now() + interval '60 days' from c;
    insert into users (id, company_id, email, name, surname, password_hash, roles)
      select one + k, id, 'u' || one + k || '@c.test', '', '', '', case k when 0 then '{CREATOR}' else '{USER}' end::text[] from c, generate_series(0, 2) k;
    insert into users (email, name, surname, password_hash, roles) values ('admin@c.test', '', '', '', '{ADMIN}');
    insert into proxies (id, company_id, type, host, port) select one, id, 'users', 'proxy' || id || '.test', 3128 from c;
    insert into proxy_learning (owner_id, proxy_id) select id, one from c;
    insert into proxy_egress (owner_id, proxy_id, address) select id, one, '192.0.2.1' from c;
    insert into sites (id, company_id, address, shown_address) select one + k, id, k || '.c' || id || '.test', '' from c, generate_series(0, 2) k;
    insert into policies (id, company_id, name, description, proxy_id, proxy_owner_id) select one + k, id, '', '', one, id from c, generate_series(0, 2) k where id <> ${spare};
    insert into policy_sites select id, one, one from c where id <> ${spare};
    insert into policy_users select id, one, one from c where id <> ${spare};
    insert into site_checks (company_id, site_id, state, next_at) select id, one + k, 'done', now() + interval '1 day' from c, generate_series(0, 2) k;
    insert into vantages (id, company_id, name, key_sealed) select 1, null, '', ''::bytea union all select one, id, '', '' from c;
    ${alterTables('enable trigger user')}; analyze`);
});
afterAll(() => database.drop());

/**
 * Runs `work`.
 * @returns the tables of which `work` read more than 80 pages, with the number of pages; index pages count too
 */
async function pagesRead(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts = async () => {
    // Makes the connection publish its statistics before the next query, which the pool sends over the same connection.
    await database.pool.query('select pg_stat_force_next_flush()');
    const { rows } = await database.pool.query<{ name: string; read: number }>(
      `select relname as name, (heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::int as read
        from pg_statio_user_tables`,
    );
    return new Map(rows.map(({ name, read }) => [name, read]));
  };
  const before = await counts();
  await work();
  const after = await counts();
  const read = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(read.filter(([, count]) => count > 80));
}

const inTx = (work: (tx: Tx) => Promise<unknown>) => () => committing(database.db, work);
const actor = { userId: id, companyId: n, roles: ['CREATOR'], address: '' } as unknown as Member;
const egress = (address: string) => async (tx: Tx) => {
  const proxy = await readProbeProxy(database.db, testEncryption, id);
  const seen = { reachable: true, credentialsAccepted: true, unanswered: [], roundTripMs: 1, problem: null };
  if (proxy !== null) await saveEgress(tx, proxy, { ...seen, addresses: [address] });
};
const throttle = { wait: async () => 0, begin: async () => {} } as never;

test.each<[string, () => Promise<unknown>]>([
  [
    'a change of a proxy',
    inTx((tx) => tx.updateTable('proxies').set({ host: 'x.test' }).where('id', '=', id).execute()),
  ],
  [
    'a deletion of a proxy',
    inTx((tx) =>
      tx
        .deleteFrom('proxies')
        .where('id', '=', 10 * spare + 1)
        .execute(),
    ),
  ],
  ['a new egress address', inTx(egress('192.0.2.9'))],
  ['a new address family', inTx(egress('2001:db8::1'))],
  [
    'a notice to the holder of an account',
    async () => {
      const tell = await createTeller(throttle, outbox)(database.db, actor, id + 1);
      await committing(database.db, (tx) => tell(tx, { what: 'password' }));
    },
  ],
  [
    'a request to the operator',
    inTx((tx) =>
      createRequest(tx, actor, { kind: 'trial', planId: null, text: '' } as never, { outbox, page: '' }),
    ),
  ],
  ['a call of a vantage of the platform', inTx((tx) => takeTask(tx, 1, null))],
  ['a call of a vantage of a company', inTx((tx) => takeTask(tx, id, id))],
  [
    'a tick of the keeper of plans',
    async () => {
      const keeper = startPlanKeeper({
        db: database.db,
        log: {
          warn: (error: unknown) => {
            throw error;
          },
        } as never,
        outbox,
        page: '',
      });
      await keeper.tick();
      await keeper.close();
    },
  ],
])('%s reads at most 80 pages of each table with the rows of 10,000 companies', async (_, work) => {
  expect(await pagesRead(work)).toEqual({});
});
