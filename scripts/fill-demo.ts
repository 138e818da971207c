import { type GatewayAccess, myAccess } from '@propusk/contract/access';
import { login } from '@propusk/contract/auth';
import { feedRecords } from '@propusk/contract/gateway-records';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { checkSite } from '@propusk/contract/probe';
import { createProxy, listProxies } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { type Call, caller } from './call.ts';
import { companies, type DemoCompany, demoAgent, demoSites, latin, PASSWORD } from './demo-data.ts';
import { type DemoIds, demoBatches } from './demo-records.ts';

/**
 * Fills a fresh product with the demo's companies through the api.
 * @param sitePort the port on which Apache serves the `demoSites`
 * @param feedToken the gateways' key, with which the records are sent; without it there are none
 * @throws Error with call, status and body when the api refuses a call
 */
export async function fillDemo(
  consoleUrl: string,
  sitePort: number,
  feedToken?: string,
): Promise<{ owners: string[]; agent: string; access: GatewayAccess }> {
  const call = caller(() => consoleUrl);
  const filled: DemoIds[] = [];
  for (const demo of companies) filled.push(await fillCompany(call, demo, sitePort));
  if (feedToken !== undefined) {
    for (const body of demoBatches(filled)) await call(feedToken, feedRecords, { body });
  }
  const { token } = await call(null, login, { body: { email: demoAgent, password: PASSWORD } });
  return {
    owners: companies.map(({ owner }) => owner.email),
    agent: demoAgent,
    access: await call(token, myAccess),
  };
}

async function fillCompany(call: Call, demo: DemoCompany, sitePort: number): Promise<DemoIds> {
  const { companyName, companySite } = demo.company;
  const { token } = await call(null, register, {
    body: {
      ...demo.company,
      name: companyName,
      ownerName: demo.owner.name,
      email: demo.owner.email,
      password: PASSWORD,
    },
  });
  const own = await call(token, createProxy, { body: { ...demo.proxy, password: PASSWORD } });
  const gateway = (await call(token, listProxies)).rows.find(({ direct }) => direct);
  if (gateway === undefined) throw new Error('the gateway is not among the proxies');
  const policies = new Map<string, number>();
  for (const { own: throughOwn, ...described } of demo.policies) {
    const proxyId = throughOwn ? own.id : gateway.id;
    policies.set(described.name, (await call(token, createPolicy, { body: { ...described, proxyId } })).id);
  }
  const ids = (names: string[]) => names.map((name) => policies.get(name) ?? 0);
  const sites: { id: number; host: string; names: string[] }[] = [];
  for (const [address, ...names] of demo.sites) {
    const served = demoSites.some(({ name }) => name === address);
    const { id } = await call(token, createSite, {
      body: { address: served && sitePort !== 80 ? `${address}:${sitePort}` : address, politics: ids(names) },
    });
    sites.push({ id, host: new URL(`http://${address.replace('*', 'new')}`).hostname, names });
    if (served) await call(token, checkSite, { params: { id } });
  }
  const people: DemoIds['people'][number][] = [];
  for (const [name, surname, ...names] of demo.people) {
    const email = emailOf(name, surname, companySite);
    const { id } = await call(token, createUser, {
      body: { name, surname, email, password: PASSWORD, politics: ids(names) },
    });
    const opened = sites.flatMap((site) => {
      const shared = names.find((policy) => site.names.includes(policy));
      return shared === undefined ? [] : [{ ...site, policyId: policies.get(shared) ?? 0 }];
    });
    people.push({ id, sites: opened });
  }
  return { companyId: (await call(token, me)).company?.id ?? 0, people };
}

function emailOf(name: string, surname: string, domain: string): string {
  const spell = (text: string) => text.toLowerCase().replace(/./g, (letter) => latin[letter] ?? letter);
  return `${spell(name)}.${spell(surname)}@${domain}`;
}
