import { createServer, type IncomingHttpHeaders } from 'node:http';
import { test } from '@playwright/test';
import { login } from '@propusk/contract/auth';
import { createPolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { freePort, listenOnLoopback } from '@propusk/test-kit/daemon';
import { type Call, caller } from '../../scripts/call.ts';
import { startLockedSites } from '../../scripts/locked-site.ts';
import { endProduct, type RunningProduct, startProduct } from './product.ts';

/**
 * The environment of the extension tests: the product, an Apache with a locked and an open site, a site
 * that answers 401 itself, and a company whose agent may open the locked site and the 401 site.
 *
 *   gateway egress 127.0.0.2 ── crm.romashka.test, locked to that address by our lines in its .htaccess
 *   the browser itself, 127.0.0.1 ── open.test, open to this machine
 */
export interface World {
  readonly product: RunningProduct;
  readonly sitePort: number;
  readonly lockedUrl: string;
  readonly openUrl: string;
  readonly askingUrl: string;
  /** Headers of the requests that reached the 401 site. */
  readonly asked: readonly IncomingHttpHeaders[];
  readonly agent: { readonly email: string; readonly password: string; readonly id: number };
  readonly owner: string;
  readonly policyId: number;
  /** Lines of Apache's log for requests that bypassed the gateway. */
  directHits(): Promise<string[]>;
  readonly call: Call;
  /** Opens a session of the agent. @returns its token */
  signIn(client?: 'extension'): Promise<string>;
  stop(): Promise<void>;
}

const EGRESS = '127.0.0.2';
const password = 'correct horse';
export const names = ['crm.romashka.test', 'ask.romashka.test', 'open.test'] as const;

let loads = 0;
/**
 * Appends a new query to a URL. Otherwise the browser would reply from its cache, because Apache sends no Cache-Control
 * (RFC 9111 section 4.2.2).
 */
export const uncached = (url: string): string => `${url}?load=${++loads}`;

/** Tomorrow at 9:00 in the time zone of this machine, as an ISO time. */
export function tomorrow(): string {
  const at = new Date();
  at.setDate(at.getDate() + 1);
  at.setHours(9, 0, 0, 0);
  return at.toISOString();
}

/** A JavaScript expression for an extension page. It postpones the next alarm that refreshes the access. */
export const POSTPONE_REFRESH = `chrome.alarms
  .get('refresh')
  .then(({ periodInMinutes }) => chrome.alarms.create('refresh', { periodInMinutes }))`;

async function startWorld(settings: Settings): Promise<World> {
  const sitePort = await freePort();
  const sites = await startLockedSites(sitePort, [
    { name: 'crm.romashka.test', title: 'Клиенты «Ромашки»', admits: EGRESS },
    { name: 'open.test', title: 'Открытый сайт', admits: null },
  ]);
  const asked: IncomingHttpHeaders[] = [];
  const asking = createServer((request, response) => {
    asked.push(request.headers);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="Propusk"' }).end('Пароль?');
  });
  const { port: askingPort, stop: stopAsking } = await listenOnLoopback(asking);
  const product = await startProduct((ports) => ({
    ...settings(ports),
    GATEWAY_EGRESS: EGRESS,
    GATEWAY_HOSTS: names.map((name) => `${name}=127.0.0.1`).join(','),
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
  }));

  const call = caller(() => product.consoleUrl);
  const company = { name: 'Ромашка', companyName: 'ООО «Ромашка»', companySite: 'romashka.test' };
  const { token: owner } = await call(null, register, {
    body: { ...company, email: 'owner@romashka.test', password },
  });
  const { rows } = await call(owner, listProxies);
  const gate = rows.find(({ direct }) => direct);
  const policy = await call(owner, createPolicy, { body: { name: 'Продажи', proxyId: gate?.id ?? 0 } });
  for (const address of [`crm.romashka.test:${sitePort}`, `ask.romashka.test:${askingPort}`]) {
    await call(owner, createSite, { body: { address, politics: [policy.id] } });
  }
  const agent = { email: 'agent@romashka.test', password };
  const { id } = await call(owner, createUser, {
    body: { ...agent, name: 'Пётр', surname: 'Иванов', politics: [policy.id] },
  });
  return {
    product,
    sitePort,
    lockedUrl: `http://crm.romashka.test:${sitePort}/`,
    openUrl: `http://open.test:${sitePort}/`,
    askingUrl: `http://ask.romashka.test:${askingPort}/`,
    asked,
    agent: { ...agent, id },
    owner,
    policyId: policy.id,
    call,
    signIn: async (client) =>
      (await call(null, login, { body: { ...agent, ...(client !== undefined && { client }) } })).token,
    directHits: async () =>
      (await sites.log()).split('\n').filter((line) => line.startsWith('127.0.0.1 crm.romashka.test ')),
    async stop() {
      await endProduct(product);
      await stopAsking();
      await sites.stop();
    },
  };
}

/** Settings of the product that one spec file adds. */
type Settings = (ports: { console: number; gateway: number }) => Record<string, string>;

/** Starts one product with its sites for the tests of a spec file. */
export function startWorldOnce(settings: Settings = () => ({})): () => World {
  let world: World | undefined;
  test.beforeAll(async () => {
    world = await startWorld(settings);
  });
  test.afterAll(async () => {
    await world?.stop();
  });
  return () => {
    if (world === undefined) throw new Error('the world is not there yet');
    return world;
  };
}
