import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayKeys, gatewayUsername, signGatewayToken } from '@propusk/access/gateway-secret';
import { myAccess } from '@propusk/contract/access';
import { useLink } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { readMail } from '@propusk/test-kit/api/inbox';
import { freePort } from '@propusk/test-kit/daemon';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { get, statusAndReason } from '@propusk/test-kit/gateway/client';
import { type Origin, startOrigin } from '@propusk/test-kit/gateway/origin';
import { SECRET, testConfig } from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createLog } from '../src/log.ts';
import { createGateway, type Gateway } from '../src/server.ts';

let folder: string;
let database: TestDatabase;
let origin: Origin;
let api: ApiProcess;
let gateway: Gateway & { port: number };
let host: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-unconfirmed-'));
  database = await createTestDatabase(inject('serverUrl'));
  origin = await startOrigin();
  host = `crm.company.test:${origin.port}`;
  api = await startApiProcess(await freePort(), {
    DATABASE_URL: database.url,
    SECRET_KEY: 'the sealing secret of the fleet, long enough',
    GATEWAY_SECRET: SECRET,
    DATA_DIR: join(folder, 'api'),
    PUBLIC_URL: 'https://pass.example.ru',
  });
  const config = testConfig({ API_URL: api.url, DATA_DIR: join(folder, 'gateway') });
  const made = await createGateway(config, createLog('silent'));
  gateway = { ...made, port: await made.listen() };
});
afterAll(async () => {
  await gateway?.close(0);
  await api?.kill();
  await origin?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Reads the token of the only mail, which an api without SMTP_URL writes into its data folder. */
async function mailedToken(): Promise<string> {
  const mails = join(folder, 'api', 'mail');
  const files = await expect
    .poll(async () => (await readdir(mails).catch(() => [])).filter((name) => name.endsWith('.eml')))
    .toHaveLength(1)
    .then(() => readdir(mails));
  const { text } = readMail(await readFile(join(mails, files[0] ?? ''), 'utf8'));
  return /#token=([\w-]{43})&for=confirm/.exec(text)?.[1] ?? '';
}

test('the gateway refuses all users of a new company until its owner confirms the mail address', async () => {
  const names = { name: 'Компания', companyName: 'Компания', companySite: 'company.test' };
  const account = { ...names, email: 'owner@company.test', password: 'correct horse' };
  const owner = (await api.must(null, register, { body: account })).token;
  const proxyId = (await api.must(owner, listProxies)).rows.find(({ direct }) => direct)?.id ?? 0;
  const { id } = await api.must(owner, me);
  const policy = await api.must(owner, createPolicy, { body: { name: 'Продажи', proxyId, users: [id] } });
  await api.must(owner, createSite, { body: { address: host, politics: [policy.id] } });
  // The api issues no gateway token yet, so the test signs a valid one itself.
  await expect(api.must(owner, myAccess)).rejects.toThrow('company_unconfirmed');
  const { rows } = await database.pool.query('select gateway_epoch as epoch from users where id = $1', [id]);
  const expires = Math.floor(Date.now() / 1000) + 600;
  const token = signGatewayToken(gatewayKeys(SECRET), { userId: id, epoch: rows[0].epoch, expires });
  const ask = async () =>
    statusAndReason(await get(gateway.port, `${gatewayUsername(id)}:${token}`, `http://${host}/`));

  // `user_removed` shows that the gateway has received the company's snapshot, which lists no users.
  await expect.poll(ask).toBe('403 user_removed');
  for (let tries = 0; tries < 20; tries++) expect(await ask()).toBe('403 user_removed');
  expect(origin.requests).toHaveLength(0);
  expect((await api.must(owner, me)).company?.confirmed).toBe(false);

  await api.must(null, useLink, { body: { token: await mailedToken() } });
  await expect.poll(ask).toBe('200');
  // The confirmation does not end the owner's session.
  expect((await api.must(owner, me)).company?.confirmed).toBe(true);
  await api.must(owner, myAccess);
  expect(origin.requests.length).toBeGreaterThan(0);
});
