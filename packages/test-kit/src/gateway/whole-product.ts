import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { myAccess } from '@propusk/contract/access';
import { login } from '@propusk/contract/auth';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { createTestDatabase, type TestDatabase } from '../api/database.ts';
import { freePort } from '../daemon.ts';
import { type ApiProcess, startApiProcess } from './api-process.ts';
import { get, statusAndReason } from './client.ts';
import { type FloodOrigin, forkFloodOrigin } from './flood-origin.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { SECRET } from './world.ts';

/**
 * Api and gateway as processes on one database, with two companies: one attacks, the other works normally.
 */

export interface Agent {
  readonly id: number;
  readonly email: string;
  readonly token: string;
  /** `name:password` for the gateway. */
  readonly who: string;
}

export interface Company {
  readonly owner: string;
  /** `host:port` of its only site. */
  readonly host: string;
  /** A user who may always reach the site. */
  readonly agent: Agent;
  /** A user who may reach the site while `allow(true)` is in force. */
  readonly guest: Agent;
  readonly policy: number;
  allow(guest: boolean): Promise<unknown>;
}

export interface WholeProduct {
  readonly api: ApiProcess;
  readonly apiPort: number;
  readonly gateway: GatewayProcess;
  readonly database: TestDatabase;
  /** The site of the attacking company. */
  readonly origin: FloodOrigin;
  /** The site of the working company. */
  readonly calmOrigin: FloodOrigin;
  readonly folder: string;
  /** Creates a company whose site is an origin under this name, and whose agents may reach it. */
  company(site: string, at: FloodOrigin): Promise<Company>;
  stop(): Promise<void>;
}

export const PASSWORD = 'correct horse';

/** Starts both, each with a heap limit in MB. The api trusts `X-Forwarded-For` from loopback. */
export async function startWholeProduct(serverUrl: string, heapMb: number): Promise<WholeProduct> {
  const folder = await mkdtemp(join(tmpdir(), 'propusk-whole-'));
  const [database, origin, calmOrigin, apiPort] = await Promise.all([
    createTestDatabase(serverUrl),
    forkFloodOrigin(),
    forkFloodOrigin(),
    freePort(),
  ]);
  const settings = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'the sealing secret of the whole product',
    GATEWAY_SECRET: SECRET,
    DATA_DIR: join(folder, 'api'),
    TRUST_PROXY: '127.0.0.1',
    // The limit that the product chooses on a machine with 1 GB.
    MEMORY: '256',
  };
  const api = await startApiProcess(apiPort, settings, heapMb);
  const gateway = await startGatewayProcess(
    { API_URL: api.url, DATA_DIR: join(folder, 'gateway'), MEMORY: '256' },
    heapMb,
  );
  return {
    api,
    apiPort,
    gateway,
    database,
    origin,
    calmOrigin,
    folder,
    async company(site, at) {
      const host = `${site}:${at.http}`;
      const names = { name: site, companyName: site, companySite: site };
      const account = { ...names, email: `owner@${site}`, password: PASSWORD };
      const owner = (await api.must(null, register, { body: account })).token;
      const proxyId = (await api.must(owner, listProxies)).rows.find(({ direct }) => direct)?.id;
      if (proxyId === undefined) throw new Error('The platform has no direct proxy');
      const policy = (await api.must(owner, createPolicy, { body: { name: 'Продажи', proxyId } })).id;
      for (const address of [host, `${site}:${at.raw}`])
        await api.must(owner, createSite, { body: { address, politics: [policy] } });
      const person = async (name: string): Promise<Agent> => {
        const email = `${name}@${site}`;
        const { id } = await api.must(owner, createUser, { body: { email, password: PASSWORD } });
        const { token } = await api.must(null, login, { body: { email, password: PASSWORD } });
        const { username, password } = await api.must(token, myAccess);
        return { id, email, token, who: `${username}:${password}` };
      };
      const [agent, guest] = [await person('agent'), await person('guest')];
      const allow = (guestToo: boolean) => {
        const users = guestToo ? [agent.id, guest.id] : [agent.id];
        return api.must(owner, updatePolicy, { id: policy, body: { users } });
      };
      await allow(true);
      await untilStatus(gateway.port, guest.who, host, '200');
      return { owner, host, policy, allow, agent, guest };
    },
    async stop() {
      await gateway.kill();
      await api.kill();
      await origin.stop();
      await calmOrigin.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Requests the site until it returns this result. @throws Error when it does not in time */
export async function untilStatus(
  port: number,
  who: string,
  host: string,
  expected: string,
  ms = 10_000,
): Promise<void> {
  const deadline = performance.now() + ms;
  for (let got = ''; got !== expected; got = statusAndReason(await get(port, who, `http://${host}/small`)))
    if (performance.now() > deadline) throw new Error(`${got} after ${ms} ms, and not ${expected}`);
}
