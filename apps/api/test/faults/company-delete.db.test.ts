import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ofProcess } from '@propusk/api/identity/passwords';
import { createCompany, deleteCompany } from '@propusk/contract/companies';
import { GATEWAY_SECRET, PASSWORD, testPasswords } from '@propusk/test-kit/api/api';
import { freePort } from '@propusk/test-kit/daemon';
import { type OwnServer, startOwnServer } from '@propusk/test-kit/faults/own-server';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { addSession, addUser } from '@propusk/test-kit/matrix/inserts';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDb } from '../../src/db/open.ts';

/** The api, its database connection or the database server is killed while a large company is being deleted. */

const KILLS = quickOrSoak(8, 100);

const proof = { currentPassword: PASSWORD };

let server: OwnServer;
let api: ApiProcess;
let folder: string;
let admin: string;
beforeAll(async () => {
  server = await startOwnServer();
  folder = await mkdtemp(join(tmpdir(), 'propusk-delete-'));
  api = await startApiProcess(await freePort(), {
    DATABASE_URL: server.url,
    SECRET_KEY: 'the sealing secret of deletions, long enough to be taken',
    GATEWAY_SECRET,
    DATA_DIR: folder,
  });
  const { db, close } = openDb(server.url);
  const id = await addUser(db, {
    companyId: null,
    email: 'admin@crowd.test',
    roles: ['ADMIN'],
    hash: await testPasswords.hash(PASSWORD, ofProcess),
  });
  admin = await addSession(db, id);
  await close();
});
afterAll(async () => {
  await api.kill();
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

test(
  'a crash during the deletion of a company leaves all of its rows or none, and its id is never reused',
  () =>
    threatCase(
      'company delete',
      'the api, its database connection or the database killed during a deletion: all or nothing',
      async (tally) => {
        const ids: number[] = [];
        let [id, before, whole] = [0, NOTHING, 0];
        for (let kill = 0; kill < KILLS; kill++) {
          if (before === NOTHING) {
            id = await makeCompany();
            ids.push(id);
            before = await digest(id);
            expect(before).not.toBe(NOTHING);
          }
          // Interrupts the deletion at different points: while it waits for a locked row in one of the
          // tables, or after a varying delay.
          const table = stages[kill % stages.length];
          const hold = table === undefined ? null : await holdRow(table, id);
          // The deletion's promise resolves to status 0 when the connection to the api breaks.
          const answered = remove(id);
          await (hold === null ? sleep((kill * 37) % 150) : untilHeldUp());
          await deaths[kill % deaths.length]?.();
          await hold?.();
          const status = await answered;
          const after = await digest(id);
          if (after === before) whole++;
          const told = await ask(
            `select from audit where object_kind = 'company' and object_id = ${id} and action = 'deleted'`,
          );
          const held =
            (after === NOTHING && told.length === 1) ||
            (after === before && told.length === 0 && status !== 204);
          tally.see(
            held,
            `kill ${kill}: answered ${status}, and then ${after} instead of ${before} or nothing, the audit told ${told.length} times`,
          );
          before = after;
        }
        // The test is useful only if most of the kills interrupt the deletion.
        expect(whole).toBeGreaterThan(KILLS / 2);
        if (before !== NOTHING) await api.must(admin, deleteCompany, { id, body: proof });
        expect(await digest(id)).toBe(NOTHING);
        const next = await api.must(admin, createCompany, { body: { companySite: 'next.test' } });
        tally.see(
          new Set(ids).size === ids.length && next.id > Math.max(...ids),
          `an id was given twice: ${ids.join()}, ${next.id}`,
        );
        tally.note(`${whole} times all there, ${KILLS - whole} times all gone`);
      },
    ),
  quickOrSoak(240_000, 600_000),
);

const stages = ['policy_users', 'policy_sites', 'policies', 'sites', 'users', undefined];

/** Locks a row against deletion. @returns a function that releases the lock */
async function holdRow(table: string, id: number): Promise<() => Promise<void>> {
  const client = await connect();
  await client.query(`begin; select from ${table} where company_id = ${id} limit 1 for update`);
  return async () => {
    // `end` fails when the test has killed the database server.
    await client.end().catch(() => {});
  };
}

/** Waits until the deletion blocks on the row lock. */
async function untilHeldUp(): Promise<void> {
  const waiting = "application_name = 'propusk' and wait_event_type = 'Lock'";
  while ((await ask(`select from pg_stat_activity where ${waiting}`)).length === 0) await sleep(5);
}

const deaths = [
  async () => {
    await api.kill();
    await api.start();
  },
  endConnections,
  () => server.crash(),
  endConnections,
];

async function endConnections(): Promise<void> {
  await ask(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'propusk' and state <> 'idle'",
  );
}

async function remove(id: number): Promise<number> {
  try {
    const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
    const body = JSON.stringify(proof);
    return (await fetch(`${api.url}/api/company/${id}`, { method: 'DELETE', headers, body })).status;
  } catch {
    return 0;
  }
}

/** Creates 60 users, sites and policies; each policy has all users and sites. */
async function makeCompany(): Promise<number> {
  const { id } = await api.must(admin, createCompany, { body: { companySite: 'large.test' } });
  await ask(`
    insert into users (company_id, email, name, surname, password_hash, roles)
      select ${id}, n || '@large${id}.test', '', '', 'x', '{USER}' from generate_series(1, 60) n;
    insert into sites (company_id, address, shown_address)
      select ${id}, 's' || n || '.large${id}.ru', 's' || n || '.large${id}.ru' from generate_series(1, 60) n;
    insert into policies (company_id, name, description, proxy_id, proxy_owner_id)
      select ${id}, 'p' || n, '', p.id, p.owner_id from generate_series(1, 60) n, proxies p where p.direct;
    insert into policy_users (company_id, policy_id, user_id)
      select ${id}, p.id, u.id from policies p, users u where p.company_id = ${id} and u.company_id = ${id};
    insert into policy_sites (company_id, policy_id, site_id)
      select ${id}, p.id, s.id from policies p, sites s where p.company_id = ${id} and s.company_id = ${id}`);
  return id;
}

const NOTHING = 'nothing';

/** Waits for the lock on a company. @returns a digest of the company's rows, except audit rows: a deletion keeps audit rows */
async function digest(id: number): Promise<string> {
  const tables = await ask<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'company_id' and table_name not like 'audit%' and table_name <> 'record_removals' order by 1",
  );
  const parts = [
    `select 'companies' as name, c::text as line from companies c where id = ${id}`,
    ...tables.map(({ name }) => `select '${name}', t::text from ${name} t where company_id = ${id}`),
  ];
  await ask(`begin; select from companies where id = ${id} for update; commit`);
  const [found] = await ask<{ n: number; md5: string }>(
    `select count(*)::int as n, md5(string_agg(name || line, ' ' order by name, line)) as md5 from (${parts.join(' union all ')}) all_of_it`,
  );
  return found?.n === 0 ? NOTHING : `${found?.n} rows, ${found?.md5}`;
}

/** Runs statements on a separate connection. */
async function ask<T extends pg.QueryResultRow>(text: string): Promise<T[]> {
  const client = await connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url, application_name: 'the test' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
