import { existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { login, logout } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { deleteUser } from '@propusk/contract/users';
import { RESERVE_BYTES } from '@propusk/embedded-postgres/disk-reserve';
import { PASSWORD, startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { asRoot, rootOnly } from '@propusk/test-kit/embedded/scratch';
import { type OwnServer, startOwnServer } from '@propusk/test-kit/faults/own-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSnapshot } from '../../src/feed/store.ts';

/** Tests that access can be revoked on a full disk. The test needs root, because it mounts a small disk. */

let server: OwnServer;
let api: TestApi;
beforeAll(async () => {
  if (!asRoot) return;
  server = await startOwnServer({ disk: '300m' });
  api = await startApi(server.url, { reserveFile: server.reserveFile });
});
afterAll(async () => {
  if (!asRoot) return;
  await api.close();
  await server.remove();
});

/** Repeats a call while the database comes back from a full disk. */
async function settled(work: () => Promise<{ status: number }>): Promise<number> {
  for (let tries = 100; ; tries--) {
    const { status } = await work();
    if (status !== 503 || tries === 0) return status;
    await sleep(100);
  }
}

test.skipIf(!asRoot)(
  `on a full disk the api revokes access and refuses creates with disk_full, and the reserve file returns with free space${rootOnly}`,
  async () => {
    const { token, email } = await api.company();
    const { company } = await api.must(token, me);
    const proxy = await api.must(token, createProxy, {
      body: { host: 'own.test', port: 3128, username: 'login', password: 'secret of a way' },
    });
    const agents = [];
    for (let i = 0; i < 12; i++) agents.push(await api.agent(token));
    const policy = await api.must(token, createPolicy, {
      body: { name: 'Бухгалтерия', proxyId: proxy.id, users: agents.map(({ id }) => id) },
    });
    await expect.poll(() => existsSync(server.reserveFile)).toBe(true);
    expect(statSync(server.reserveFile).size).toBe(RESERVE_BYTES);

    server.fill();
    await expect.poll(() => existsSync(server.reserveFile)).toBe(false);
    let serial = 0;
    const add = () => api.call(token, createSite, { body: { address: `site${serial++}.example.ru` } });
    await expect.poll(async () => (await add()).error?.code).toBe('disk_full');
    expect((await add()).error.message).toMatch(/^Место на диске закончилось/);

    const params = { id: policy.id };
    let users = agents.map(({ id }) => id);
    const snapshot = () =>
      readSnapshot({ db: api.database.db, encryption: testEncryption, log: api.app.log }, company?.id ?? 0);
    // The owner removes the agents one after another, until none is left.
    for (const { id, token: own } of agents) {
      users = users.filter((one) => one !== id);
      expect(await settled(() => api.call(token, updatePolicy, { params, body: { users } }))).toBe(200);
      expect((await snapshot())?.policies[0]?.users).toEqual(users);
      expect(await settled(() => api.call(own, logout))).toBe(204);
      expect(await settled(() => api.call(token, deleteUser, { params: { id } }))).toBe(204);
      expect((await snapshot())?.users.map((user) => user.id)).not.toContain(id);
    }
    expect(await settled(() => api.call(null, login, { body: { email, password: PASSWORD } }))).toBe(200);

    server.makeRoom();
    await expect.poll(() => existsSync(server.reserveFile)).toBe(true);
    expect(statSync(server.reserveFile).size).toBe(RESERVE_BYTES);
    expect(await settled(add)).toBe(201);
  },
);

test.skipIf(!asRoot)(
  `a database that crashed on a full disk restarts after its reserve file is deleted${rootOnly}`,
  async () => {
    const { token } = await api.company();
    const agent = await api.agent(token);
    await expect.poll(() => existsSync(server.reserveFile)).toBe(true);
    server.fill();
    await expect.poll(() => existsSync(server.reserveFile)).toBe(false);
    await server.crash();
    expect(await settled(() => api.call(token, deleteUser, { params: { id: agent.id } }))).toBe(204);
    server.makeRoom();
    await expect.poll(() => existsSync(server.reserveFile)).toBe(true);
  },
);
