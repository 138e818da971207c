import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { logout } from '@propusk/contract/auth';
import { deleteCompany } from '@propusk/contract/companies';
import { me } from '@propusk/contract/me';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { companyUsers } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDb } from '../db/open.ts';

let api: TestApi;
let admin: string;
let port: number;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  admin = await createAdmin(api);
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  port = (api.app.server.address() as AddressInfo).port;
});
afterAll(() => api.close());

/**
 * Sends the head of a POST request and one byte of the body, awaits `during`, then sends the rest.
 * @returns the status of the response
 */
async function held(
  token: string,
  path: string,
  body: object,
  during: () => Promise<unknown>,
  header = '',
): Promise<number> {
  const text = JSON.stringify(body);
  const socket = connect(port, '127.0.0.1');
  let got = '';
  socket.setEncoding('utf8').on('data', (more: string) => {
    got += more;
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    `POST /api${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n${header}` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text.slice(0, 1)}`,
  );
  await sleep(200);
  await during();
  socket.write(text.slice(1));
  await ended;
  return Number(got.slice(9, 12));
}

test('a request whose session ends during its upload gets 401 and writes nothing', async () => {
  const { token, email } = await api.company();
  const body = { email: 'backdoor@evil.test', password: PASSWORD };
  const status = await held(token, '/users/user-inner', body, () => api.must(token, logout));
  expect(status).toBe(401);
  const { rows } = await api.database.pool.query('select email from users where email in ($1, $2)', [
    email,
    body.email,
  ]);
  expect(rows).toEqual([{ email }]);
});

test.each(['', 'idempotency-key: k\r\n'])(
  'a create gets 401 when its company is deleted during the upload, with the header %j',
  async (key) => {
    const { token } = await api.company();
    const params = { id: (await api.must(token, me)).company?.id ?? 0 };
    const removed = () => api.must(admin, deleteCompany, { params, body: { currentPassword: PASSWORD } });
    expect(await held(token, '/domain-allowed', { address: 'late.example.ru' }, removed, key)).toBe(401);
  },
);

test('create calls with idempotency keys do not deadlock with the deletion of the company', async () => {
  for (let round = 0; round < 4; round++) {
    const { token } = await api.company();
    const params = { id: (await api.must(token, me)).company?.id ?? 0 };
    const creates = Array.from({ length: 8 }, (_, i) =>
      api.call(token, createPolicy, {
        body: { name: `Политика ${i}`, proxyId: 1 },
        headers: { 'idempotency-key': `k${i}` },
      }),
    );
    const gone = api.call(admin, deleteCompany, { params, body: { currentPassword: PASSWORD } });
    const statuses = (await Promise.all(creates)).map(({ status }) => status);
    expect((await gone).status).toBe(204);
    expect(statuses.filter((status) => status !== 201 && status !== 401)).toEqual([]);
  }
});

test('concurrent writers of one company leave database connections for other companies', async () => {
  const [noisy, quiet] = [await api.company(), await api.company()];
  const { company } = await api.must(noisy.token, me);
  const { rows } = await api.database.pool.query(
    `insert into users (company_id, email, name, surname, password_hash, roles)
     select $1, 'noisy' || n || '@noisy.test', '', '', 'x', '{USER}' from generate_series(1, 300) n returning id`,
    [company?.id],
  );
  const people = rows.map(({ id }) => id);
  const { id } = await api.must(noisy.token, createPolicy, { body: { name: 'Шумная', proxyId: 1 } });
  const stop = new AbortController();
  const heard = new Set<number>();
  const writers = Array.from({ length: 60 }, async (_, writer) => {
    for (let i = writer; !stop.signal.aborted; i++) {
      const body = { users: i % 2 ? people : [] };
      heard.add((await api.call(noisy.token, updatePolicy, { params: { id }, body })).status);
    }
  });
  const seen: number[] = [];
  for (let i = 0; i < 10; i++) seen.push((await api.call(quiet.token, companyUsers)).status);
  stop.abort();
  await Promise.all(writers);
  expect(seen).toEqual(Array(10).fill(200));
  expect([...heard]).toEqual([200]);
});

test('the server closes a connection whose request head never completes', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.write('POST /api/auth/login HTTP/1.1\r\nhost: x\r\n');
  const elapsed = stopwatch();
  await ended;
  expect(elapsed()).toBeLessThan(15_000);
});

test('a database connection that breaks during a query gives 503 and the process keeps running', async () => {
  const { url } = api.database;
  const folder = decodeURIComponent(/host=([^&]*)/.exec(url)?.[1] ?? '');
  const open = new Set<Socket>();
  const relay = createServer((near) => {
    const far = connect(`${folder}/.s.PGSQL.${/port=(\d+)/.exec(url)?.[1] ?? 5432}`);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const there = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
  const behind = openDb(url.replace(/@[^/]*\//, `@${there}/`).replace(/\?.*/, ''));
  const alone = await startApi(inject('serverUrl'), { shared: { ...api.database, ...behind } });
  const { token } = await alone.company();
  const locker = await api.database.pool.connect();
  await locker.query('begin; lock table sessions in access exclusive mode');
  // An unhandled 'error' event would end this worker and the test.
  const asked = alone.call(token, me);
  await sleep(300);
  for (const socket of open) socket.destroy();
  expect((await asked).status).toBe(503);
  await locker.query('rollback');
  locker.release();
  expect((await alone.call(token, me)).status).toBe(200);
  await alone.close();
  await behind.close();
  relay.close();
});

test('a query parameter with a list value gets 400 with the name of the parameter', async () => {
  const { token } = await api.company();
  const reply = await fetch(`http://127.0.0.1:${port}/api/domain-allowed?page=1&take[]=5`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ code: 'bad_input', fields: { 'take[]': 'Проверьте это поле' } });
});
