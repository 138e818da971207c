import { gatewayKeys, gatewayUsername, signGatewayToken } from '@propusk/access/gateway-secret';
import type { CompanySnapshot } from '@propusk/contract/feed';
import type { LoadClient } from './load.ts';

/**
 * The policy of the measured proxies: 10 companies, each with 1,000 users who may reach 1,000 sites. Peers
 * get the same users and sites in their own formats.
 */

export const COMPANIES = 10;
const PEOPLE = 1_000;
const SITES = 1_000;
export const SECRET = 'a secret of the bench, long enough to be taken';

/** The sites of a company, without their port. */
export function sitesOf(company: number): string[] {
  return Array.from({ length: SITES }, (_, i) => `s${i}.c${company}.bench.test`);
}

/** The ids of a company's users. */
export function usersOf(company: number): number[] {
  return Array.from({ length: PEOPLE }, (_, i) => company * PEOPLE + i + 1);
}

/** The password of a user in a peer's password file. */
export const passwordOf = (userId: number) => `pass-${userId}`;

/** The domain whose names all lead to sites of a company. */
export const wildDomainOf = (company: number) => `fresh.c${company}.bench.test`;

/**
 * The snapshots of all companies, with direct egress. @param port of the sites
 * @param wild whether each company also has all names of its wild domain
 */
export function snapshots(port: number, wild = false): CompanySnapshot[] {
  return Array.from({ length: COMPANIES }, (_, company) => {
    const people = usersOf(company);
    const names = [...sitesOf(company), ...(wild ? [`*.${wildDomainOf(company)}`] : [])];
    const sites = names.map((name, i) => {
      const id = company * (SITES + 1) + i + 1;
      return { id, address: `${name}:${port}`, claim: id };
    });
    return {
      companyId: company + 1,
      version: 1,
      users: people.map((id) => ({ id, epoch: 1 })),
      sites,
      proxies: [{ id: 1, type: 'default', direct: true, host: '', port: 0, username: '', password: '' }],
      policies: [
        {
          id: company + 1,
          proxyId: 1,
          allSites: false,
          users: people,
          sites: sites.map(({ id }) => id),
        },
      ],
    };
  });
}

/**
 * The clients of the load: 20 users of each company, each at a different site. @param known what the proxy
 * verifies: the gateway's signed tokens, or the passwords of peers
 */
export function callers(known: 'token' | 'password'): LoadClient[] {
  const keys = gatewayKeys(SECRET);
  const expires = Math.floor(Date.now() / 1000) + 86_400;
  return Array.from({ length: COMPANIES * 20 }, (_, i) => {
    const [company, at] = [i % COMPANIES, Math.floor(i / COMPANIES) * 37];
    const userId = company * PEOPLE + at + 1;
    const secret =
      known === 'token' ? signGatewayToken(keys, { userId, epoch: 1, expires }) : passwordOf(userId);
    return {
      site: `s${at}.c${company}.bench.test`,
      wild: wildDomainOf(company),
      credentials: `${gatewayUsername(userId)}:${secret}`,
    };
  });
}

/** The sites of `callers`. A proxy resolves them to this machine. */
export const calledSites = () => callers('password').map(({ site }) => site);
