import { lookup as lookupName, Resolver } from 'node:dns/promises';

/**
 * A resolver of the gateway's own (GATEWAY_DNS): names of an intranet are often known to its servers alone, and they are
 * to be asked without changing the machine's.
 */

/** What one server may take to answer, and how often it is asked: together less than dialling waits for a name. */
const ANSWER = { timeout: 1_500, tries: 2 };

/**
 * Makes a look-up that asks these servers, or the system when there are none.
 * @param servers `address` or `address:port`
 * @returns every address of a name, IPv4 first: the family that locks of sites name
 */
export function createLookup(servers: readonly string[]): (name: string) => Promise<readonly string[]> {
  if (servers.length === 0) return systemLookup;
  const resolver = new Resolver(ANSWER);
  resolver.setServers([...servers]);
  return async (name) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    // Most names have one family only, and DNS tells of the other as an error.
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [v4, v6].flatMap((found) => (found.status === 'fulfilled' ? found.value : []));
  };
}

async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await lookupName(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}
