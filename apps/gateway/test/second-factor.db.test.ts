import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { myAccess } from '@propusk/contract/access';
import { login } from '@propusk/contract/auth';
import { updateMyCompany } from '@propusk/contract/companies';
import { createPolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { suspendUser } from '@propusk/contract/role-changes';
import { confirmSecondFactor, startSecondFactor } from '@propusk/contract/second-factor';
import { createSite } from '@propusk/contract/sites';
import { createUser, getUser, updateUser } from '@propusk/contract/users';
import { appCode } from '@propusk/test-kit/api/app-code';
import { createTestDatabase, type TestDatabase } from '@propusk/test-kit/api/database';
import { freePort } from '@propusk/test-kit/daemon';
import { type ApiProcess, startApiProcess } from '@propusk/test-kit/gateway/api-process';
import { get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { type Origin, startOrigin } from '@propusk/test-kit/gateway/origin';
import { SECRET, testConfig } from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createLog } from '../src/log.ts';
import { createGateway, type Gateway } from '../src/server.ts';

const PASSWORD = 'correct horse';
let folder: string;
let database: TestDatabase;
let origin: Origin;
let api: ApiProcess;
let gateway: Gateway & { port: number };
let host: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'propusk-factor-'));
  database = await createTestDatabase(inject('serverUrl'));
  origin = await startOrigin();
  host = `crm.company.test:${origin.port}`;
  api = await startApiProcess(await freePort(), {
    DATABASE_URL: database.url,
    SECRET_KEY: 'the sealing secret of the fleet, long enough',
    GATEWAY_SECRET: SECRET,
    DATA_DIR: join(folder, 'api'),
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

const ask = async (who: string) => statusAndReason(await get(gateway.port, who, `http://${host}/`));
async function becomes(who: string, expected: string): Promise<void> {
  await expect.poll(() => ask(who)).toBe(expected);
}
const drip = (who: string) => openTunnel(gateway.port, who, host, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');

async function enrol(token: string): Promise<void> {
  const { secret } = await api.must(token, startSecondFactor, { body: { currentPassword: PASSWORD } });
  await api.must(token, confirmSecondFactor, { body: { code: appCode(secret) } });
}

let owner: string;
let member: { id: number; way: string };

test('when a company requires a second factor, users without one lose access within a second', async () => {
  const names = { name: 'Компания', companyName: 'Компания', companySite: 'company.test' };
  const account = { ...names, email: 'owner@company.test', password: PASSWORD };
  owner = (await api.must(null, register, { body: account })).token;
  const proxyId = (await api.must(owner, listProxies)).rows.find(({ direct }) => direct)?.id ?? 0;
  const person = async (name: string) => {
    const body = { email: `${name}@company.test`, password: PASSWORD };
    const { id } = await api.must(owner, createUser, { body });
    return { id, token: (await api.must(null, login, { body })).token };
  };
  const [without, enrolled] = [await person('without'), await person('enrolled')];
  await enrol(enrolled.token);
  const users = [without.id, enrolled.id];
  const policy = await api.must(owner, createPolicy, { body: { name: 'Продажи', proxyId, users } });
  await api.must(owner, createSite, { body: { address: host, politics: [policy.id] } });
  const wayOf = async (token: string) => {
    const { username, password } = await api.must(token, myAccess);
    return `${username}:${password}`;
  };
  const [shut, kept] = [await wayOf(without.token), await wayOf(enrolled.token)];
  await becomes(shut, '200');
  await becomes(kept, '200');
  const [dying, living] = [await drip(shut), await drip(kept)];
  expect([dying.status, living.status]).toEqual([200, 200]);
  await enrol(owner);
  member = { id: enrolled.id, way: kept };

  const elapsed = stopwatch();
  await api.must(owner, updateMyCompany, { body: { secondFactorRequired: true } });
  await dying.closed;
  const took = elapsed();
  process.stdout.write(`requirement to dead tunnel: ${took.toFixed(1)} ms\n`);
  expect(took).toBeLessThan(1_000);
  expect(await ask(shut)).toBe('403 user_removed');
  expect(await ask(kept)).toBe('200');
  expect(living.socket.destroyed).toBe(false);
  living.socket.destroy();

  // After enrolment a new gateway token works, and the previous one does not.
  await enrol(without.token);
  const fresh = await wayOf(without.token);
  await becomes(fresh, '200');
  expect(await ask(shut)).toBe('407 expired');
});

test('a suspension ends tunnels, and a membership that ends closes the site, within a second', async () => {
  const { id, way } = member;
  await becomes(way, '200');
  const policy = (await api.must(owner, getUser, { id })).politics[0]?.id ?? 0;
  const ending = await drip(way);
  const end = Date.now() + 2_000;
  const ends = [{ id: policy, until: new Date(end).toISOString() }];
  await api.must(owner, updateUser, { id, body: { ends } });
  await ending.closed;
  const late = Date.now() - end;
  expect([late >= 0, late < 1_000, await ask(way)]).toEqual([true, true, '403 right_ended']);

  await api.must(owner, updateUser, { id, body: { ends: [{ id: policy, until: '' }] } });
  await becomes(way, '200');
  const tunnel = await drip(way);
  const elapsed = stopwatch();
  await api.must(owner, suspendUser, { id, body: { suspended: true } });
  await tunnel.closed;
  const took = elapsed();
  process.stdout.write(
    `suspension to dead tunnel: ${took.toFixed(1)} ms, end of a membership: ${late} ms late\n`,
  );
  expect(took).toBeLessThan(1_000);
  expect(await ask(way)).toBe('403 suspended');
});
