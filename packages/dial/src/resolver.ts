import { lookup as lookupName, Resolver } from 'node:dns/promises';

/** Timeout and tries for one server: together less than the dialer's resolve timeout. */
const ANSWER = { timeout: 1_500, tries: 2 };

/**
 * Creates a look-up that asks these servers (GATEWAY_DNS), or the system's when there are none. Names of an intranet are often
 * known to its own servers alone.
 * @param servers `address` or `address:port`
 * @returns every address of a name, IPv4 first: the family that sites' locks list
 */
export function createLookup(servers: readonly string[]): (name: string) => Promise<readonly string[]> {
  if (servers.length === 0) return systemLookup;
  const resolver = new Resolver(ANSWER);
  resolver.setServers([...servers]);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    // DNS reports a missing family as an error; most names have one family.
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [v4, v6].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  };
}

async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await lookupName(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}
