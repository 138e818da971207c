import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSite, createSites, deleteSite, updateSite } from '@propusk/contract/sites';
import { updateUser } from '@propusk/contract/users';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { addSession, addUser, insertCompany } from '@propusk/test-kit/matrix/inserts';
import { nodeEnvironment } from '@propusk/test-kit/node-environment';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
let pool: pg.Pool;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  pool = api.database.pool;
});
afterAll(() => api.close());

const all = async () => (await pool.query('select to_jsonb(a) as row from audit a order by id')).rows;

const month = `audit_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
const rewriting = [
  `update audit set address = '192.0.2.1'`,
  `update audit set address = '192.0.2.1' where false`,
  'delete from audit',
  'truncate audit',
  'truncate companies, audit cascade',
  `insert into audit (id, at, company, actor_id, actor_name, actor_email, actor_roles, address, action, object_kind, object_id, object_name)
    select id, at, company, actor_id, 'другой', actor_email, actor_roles, address, action, object_kind, object_id, object_name from audit
    on conflict (at, id) do update set actor_name = 'другой'`,
  `merge into audit using (select 1) as one on true when matched then delete`,
  // The following statements change partitions of the audit, or the log of removed partitions.
  `update ${month} set address = '192.0.2.1'`,
  `delete from ${month}`,
  `truncate ${month}`,
  'delete from audit_rest',
  'truncate audit_rest',
  `update audit set at = at + interval '1 month'`,
  'update audit_removals set rows = 0',
  'delete from audit_removals',
];

describe('the audit is append-only', () => {
  let before: unknown[];
  beforeAll(async () => {
    await api.company();
    before = await all();
  });

  // This test runs first, because later tests grant and revoke privileges on the audit tables.
  test('the owner of the audit tables has no privilege to update, delete or truncate them', async () => {
    const { rows } = await pool.query(`select privilege_type as may from pg_class c, aclexplode(c.relacl) a
      where c.relname like 'audit%' and c.relkind in ('r', 'p') and a.grantee = c.relowner order by 1`);
    const may = rows.map((row) => row.may);
    expect(before.length).toBeGreaterThan(0);
    expect(may).toEqual(expect.arrayContaining(['INSERT', 'SELECT']));
    expect(may.filter((one) => ['UPDATE', 'DELETE', 'TRUNCATE'].includes(one))).toEqual([]);
  });

  test.each(rewriting)('the owner of the audit tables cannot run: %s', async (statement) => {
    await expect(pool.query(statement)).rejects.toMatchObject({ code: '42501' });
    expect(await all()).toEqual(before);
  });

  // Simulates a superuser, whom privileges do not restrict.
  test.each(rewriting)('a role with all privileges on the audit tables cannot run: %s', async (statement) => {
    const tables = `audit, audit_removals, audit_rest, ${month}`;
    await pool.query(`grant all on ${tables} to current_user`);
    await expect(pool.query(statement)).rejects.toThrow('the audit is append-only');
    await pool.query(`revoke update, delete, truncate on ${tables} from current_user`);
    expect(await all()).toEqual(before);
  });

  test('the append-only trigger also fires in a session with session_replication_role = replica', async () => {
    const { rows } = await pool.query(
      `select distinct tgenabled as state from pg_trigger where tgname = 'append_only'`,
    );
    const { rows: bare } =
      await pool.query(`select relname from pg_class c where relname like 'audit%' and relkind in ('r', 'p')
      and not exists (select from pg_trigger where tgrelid = c.oid and tgname = 'append_only')`);
    expect(bare).toEqual([]);
    // 'A' means that the trigger fires for every value of session_replication_role. The test only reads this
    // flag, because setting session_replication_role needs a superuser.
    expect(rows).toEqual([{ state: 'A' }]);
  });
});

describe('a change and its audit event are atomic', () => {
  test('a change that fails at commit leaves no audit event', async () => {
    const { token } = await api.company();
    const before = await all();
    // The constraint trigger fails at the commit, after the audit event was written.
    await pool.query(`create function fail() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create constraint trigger fail after insert or update or delete on sites deferrable initially deferred
      for each row execute function fail()`);
    expect((await api.call(token, createSite, { body: { address: 'lost.example.ru' } })).status).toBe(500);
    expect((await api.call(token, createSites, { body: [{ address: 'lost.example.ru' }] })).status).toBe(500);
    await pool.query('drop function fail cascade');
    expect(await all()).toEqual(before);
  });

  test('a refused change leaves no audit event', async () => {
    const { token } = await api.company();
    const agent = await api.agent(token);
    const site = await api.must(token, createSite, { body: { address: 'whole.example.ru' } });
    const before = await all();
    const other = { params: { id: agent.id }, body: { name: 'Новое', politics: [999_999] } };
    expect((await api.call(token, updateUser, other)).status).toBe(400);
    const params = { id: site.id };
    const stale = { params, body: { address: 'other.example.ru' }, headers: { 'if-match': '"77"' } };
    expect((await api.call(token, updateSite, stale)).status).toBe(412);
    expect(await all()).toEqual(before);
  });

  test('a change rolls back when its audit event cannot be written', async () => {
    const { token } = await api.company();
    const site = await api.must(token, createSite, { body: { address: 'kept.example.ru' } });
    const params = { id: site.id };
    const held = async () => (await pool.query('select to_jsonb(s) as row from sites s order by id')).rows;
    const before = await held();
    await pool.query('alter table audit rename to audit_away');
    expect((await api.call(token, createSite, { body: { address: 'new.example.ru' } })).status).toBe(500);
    expect((await api.call(token, updateSite, { params, body: { address: 'x.example.ru' } })).status).toBe(
      500,
    );
    expect((await api.call(token, deleteSite, { params })).status).toBe(500);
    await pool.query('alter table audit_away rename to audit');
    expect(await held()).toEqual(before);
  });

  test('an api killed during writes leaves both the change and its audit event, or neither', async () => {
    const { db } = api.database;
    const { id: companyId } = await insertCompany(db, 'killed');
    const owner = await addUser(db, { companyId, email: 'owner@killed.test', roles: ['CREATOR'], hash: 'x' });
    const token = await addSession(db, owner);
    const acknowledged = new Set<number>();
    let broken = 0;
    let serial = 0;
    for (let round = 0; round < 4; round++) {
      const program = await startProgram();
      const writer = async () => {
        for (;;) {
          const response = await fetch(`${program.url}/api/domain-allowed`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ address: `killed${serial++}.example.ru` }),
          }).catch(() => null);
          const text = response?.status === 201 ? await response.text().catch(() => '') : '';
          if (text === '') return void broken++;
          acknowledged.add((JSON.parse(text) as { id: number }).id);
        }
      };
      const already = acknowledged.size;
      const writers = [writer(), writer(), writer(), writer()];
      while (acknowledged.size < already + 20) await pause(5);
      await program.kill();
      await Promise.all(writers);
    }
    expect(broken).toBe(16);
    // Waits for the rollback of transactions that a killed process left open.
    await pool.query('select 1 from companies where id = $1 for update', [companyId]);
    const { rows: sites } = await pool.query('select id from sites where company_id = $1 order by id', [
      companyId,
    ]);
    const { rows: audited } = await pool.query(
      `select object_id as id from audit where company_id = $1 and action = 'created' order by object_id`,
      [companyId],
    );
    expect(audited).toEqual(sites);
    const kept = new Set(sites.map(({ id }) => id));
    expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
  });
});

/** Starts an api in its own process, on the same database as this test file. */
async function startProgram(): Promise<{ url: string; kill(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'propusk-audit-'));
  const port = await freePort();
  const child = fork(fileURLToPath(new URL('../main.ts', import.meta.url)), {
    env: {
      ...nodeEnvironment(),
      DATABASE_URL: api.database.url,
      DATA_DIR: folder,
      PORT: String(port),
      SECRET_KEY: 'the sealing secret of all the tests',
      GATEWAY_SECRET: 'the gateway secret of all the tests',
    },
    execArgv: [],
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  const kill = async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await rm(folder, { recursive: true });
  };
  for (let tries = 600; tries > 0; tries--) {
    const health = await fetch(`${url}/api/health`).catch(() => null);
    if (health?.ok) return { url, kill };
    if (child.exitCode !== null) break;
    await pause(50);
  }
  await kill();
  throw new Error('the api did not start');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
