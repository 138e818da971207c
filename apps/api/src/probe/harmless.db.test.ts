import {
  companyBehind,
  EGRESS,
  type ProbeWorld,
  probe,
  startProbeWorld,
} from '@propusk/test-kit/api/probe-world';
import { startActionSite, startOtherHost, startRedirectingSite } from '@propusk/test-kit/lab/action-site';
import { startBanningSite } from '@propusk/test-kit/lab/banning-site';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

/** A probe must change nothing on a site, contact no other host, and not cause a ban of the egress address. */

const ACTIONS = { name: 'actions.example.test', address: '127.0.1.251' };
const REDIRECTS = { name: 'redirects.example.test', address: '127.0.1.252' };
const BANNING = { name: 'banning.example.test', address: '127.0.1.253' };
const OTHER = { name: 'other.example.test', address: '127.0.1.254' };

/** The time limit of a probe, in milliseconds. A probe of a silent site takes long, because each request times out. */
const PATIENCE = 120_000;

let world: ProbeWorld;
beforeAll(async () => {
  world = await startProbeWorld(inject('serverUrl'), {
    hosts: new Map([ACTIONS, REDIRECTS, BANNING, OTHER].map(({ name, address }) => [name, [address]])),
  });
});
afterAll(() => world.close());

/** Adds a site and probes it as many times as given. */
async function probeSite(address: string, times = 1) {
  const company = await companyBehind(world);
  const id = await company.add(address);
  let check = await probe(world.api, company.token, id, PATIENCE);
  for (let done = 1; done < times; done++) check = await probe(world.api, company.token, id, PATIENCE);
  return check;
}

test('probes trigger no action of a site and send no cookie, credentials, Referer or query', async () => {
  const site = await startActionSite(ACTIONS.name, ACTIONS.address, EGRESS);
  try {
    // The second probe can use the list of paths that the first probe stored.
    const { verdict } = await probeSite(site.site, 2);
    expect(site.executed).toEqual([]);
    expect(site.unwanted).toEqual([]);
    expect(verdict).toBe('protected');
  } finally {
    await site.stop();
  }
});

test('a probe sends at most 20 requests through the proxy and at most 250 direct requests', async () => {
  const site = await startActionSite(ACTIONS.name, ACTIONS.address, EGRESS);
  try {
    await probeSite(site.site);
    expect(site.userPaths.length).toBeLessThanOrEqual(20);
    const linked = new Set(['/', '/news/', '/robots.txt', '/sitemap.xml', '/index.php', '/account/']);
    expect(site.userPaths.filter((path) => !linked.has(path))).toEqual([]);
    expect(site.strangers()).toBeLessThanOrEqual(250);
  } finally {
    await site.stop();
  }
});

test('a probe contacts no host or port other than those of the site', async () => {
  const other = await startOtherHost(OTHER.address);
  const away = { host: OTHER.name, address: OTHER.address, port: other.port };
  const site = await startRedirectingSite(REDIRECTS.name, REDIRECTS.address, EGRESS, away);
  try {
    await probeSite(site.site);
    expect(other.connections()).toBe(0);
  } finally {
    await site.stop();
    await other.stop();
  }
});

test.each(['drops packets', 'resets connections'] as const)(
  "a site that bans an address after five refusals and then %s does not ban the employees' address",
  async (afterwards) => {
    const site = await startBanningSite(BANNING.name, BANNING.address, EGRESS, afterwards);
    try {
      const { verdict } = await probeSite(site.site);
      expect([...site.banned]).not.toContain(EGRESS);
      // The site no longer answers direct requests, so no response shows that the site is open.
      expect(verdict).not.toBe('open');
      if (afterwards === 'drops packets') expect(verdict).toBe('unknown');
    } finally {
      await site.stop();
    }
  },
  150_000,
);
