import { Resolver } from 'node:dns/promises';
import { DialError, errnoOf } from './dial-error.ts';
import { createFairSlots, type SlotHolder, type Tenant } from './fair-slots.ts';
import { followFile, parseHostsFile, parseSearchDomains } from './name-files.ts';

/**
 * Resolves names:
 *
 *   /etc/hosts → cache → a query of the same name that is under way → a slot of the tenant → c-ares
 *
 * c-ares waits for answers on the event loop. getaddrinfo would occupy a thread for each name, so that a few names without
 * an answer would stop all others.
 */

/** Time limit of the first try; c-ares doubles it with each. */
const FIRST_TRY_MS = 1_250;
/** Tries for each server. */
const TRIES = 3;
const RESOLVE_MS = 5_000;
/** Bounds of the time that an answer is cached, in seconds. A rebinding attacker sends a time to live of 0. */
const TTL_LEAST = 5;
const TTL_MOST = 60;
const FAILURE_MS = 1_000;
/** Names in the cache. */
const CACHED_MOST = 4_096;
/** The maximum number of idle resolvers that are kept for later queries. */
const IDLE_MOST = 64;
/** The most addresses of a name and family: a DNS response holds up to 4,000. */
const ADDRESSES_MOST = 16;

export interface LookupOptions {
  /** DNS servers instead of the system's (GATEWAY_DNS), as `address` or `address:port`. */
  readonly servers?: readonly string[];
  /** Time limit of a look-up, in milliseconds. */
  readonly resolveMs?: number;
  readonly hostsFile?: string;
  readonly resolvConf?: string;
  /** A monotonic clock in milliseconds, for tests. */
  readonly now?: () => number;
}

/**
 * Resolves a name for a tenant. A name of a file or the cache is returned at once; only a new query takes a slot of the tenant.
 * @returns at least one address, in the order of the answer or the file; the dialer orders the families
 * @throws DialError resolve_failed, timeout; names_busy when the tenant has too many pending names
 */
export type Lookup = (name: string, tenant: Tenant) => readonly string[] | Promise<readonly string[]>;

interface Cached {
  readonly until: number;
  readonly outcome: readonly string[] | DialError;
}

/** A pending name, charged to the tenant that asked first. Others share the answer and take no slot. */
class Query implements SlotHolder {
  readonly tenant: Tenant;
  /** No other query uses it meanwhile, because Resolver.cancel() ends all queries of one resolver. */
  readonly resolver: Resolver;
  /** Why the query was cancelled. */
  cancelled: 'timeout' | 'names_busy' | undefined;
  answer: Promise<readonly string[]> = Promise.resolve([]);

  /** The list for the resolver after this query; null for a resolver that is not used again. */
  readonly next: Resolver[] | null;

  constructor(tenant: Tenant, resolver: Resolver, next: Resolver[] | null) {
    this.tenant = tenant;
    this.resolver = resolver;
    this.next = next;
  }

  /** Ends the work of c-ares: its promises reject within a tick of the event loop. */
  cancel(why: 'timeout' | 'names_busy'): void {
    this.cancelled = why;
    this.resolver.cancel();
  }
}

/** Creates a look-up with its own cache and slots. */
export function createLookup(options: LookupOptions = {}): Lookup {
  const { servers = [], resolveMs = RESOLVE_MS, now = () => performance.now() } = options;
  const hosts = followFile(options.hostsFile ?? '/etc/hosts', parseHostsFile, now);
  const searchDomains = followFile(options.resolvConf ?? '/etc/resolv.conf', parseSearchDomains, now);
  const slots = createFairSlots();
  // Grows with names of sites and proxies. Bound: 4,096 names with up to 32 addresses, below 16 MB. At the bound: the
  // oldest is dropped
  const cache = new Map<string, Cached>();
  // Grows with names that DNS has not answered. Bound: 512, the slots of fair-slots.ts. At the bound: 503 names_busy,
  // and the company that holds most loses its oldest
  const pending = new Map<string, Query>();
  /**
   * Resolvers that have looked up one name and are used for one more. Each is dropped after its second name: from the third
   * answer of a server on, c-ares shortens the time limit of tries to a multiple of the average, and slow names would fail. An
   * idle resolver has no socket, so that each query is sent from a new source port.
   */
  // Grows with names that were looked up at one moment. Bound: 64 resolvers. At the bound: further ones are not kept
  let idle: Resolver[] = [];
  let domains = searchDomains();

  function lookup(host: string, tenant: Tenant): readonly string[] | Promise<readonly string[]> {
    const name = host.toLowerCase();
    const listed = hosts().get(name);
    if (listed !== undefined) return listed;
    const known = cache.get(name);
    if (known !== undefined && now() < known.until) {
      if (known.outcome instanceof DialError) throw known.outcome;
      return known.outcome;
    }
    const query = pending.get(name);
    return query === undefined || query.cancelled !== undefined
      ? start(name, tenant)
      : join(query, name, tenant);
  }

  function start(name: string, tenant: Tenant): Promise<readonly string[]> {
    // A resolver knows the name servers of the time when it was created.
    if (domains !== searchDomains()) [idle, domains] = [[], searchDomains()];
    const used = idle.pop();
    const query = new Query(tenant, used ?? create(), used === undefined ? idle : null);
    slots.take(query);
    pending.set(name, query);
    query.answer = settle(query, name);
    return query.answer;
  }

  function create(): Resolver {
    const resolver = new Resolver({ timeout: spread(FIRST_TRY_MS), tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    return resolver;
  }

  async function join(query: Query, name: string, tenant: Tenant): Promise<readonly string[]> {
    try {
      return await query.answer;
    } catch (error) {
      // An eviction concerns the tenant that is charged. Another tenant asks again, at its own expense.
      if (query.cancelled === 'names_busy' && query.tenant !== tenant) return lookup(name, tenant);
      throw error;
    }
  }

  /** Awaits the answer, caches it and frees the slot. */
  async function settle(query: Query, name: string): Promise<readonly string[]> {
    const timer = setTimeout(() => query.cancel('timeout'), spread(resolveMs));
    const qualified = name.includes('.') ? [] : searchDomains().map((domain) => `${name}.${domain}`);
    try {
      const { addresses, ttl } = await firstAnswer(query, [...qualified, name]);
      remember(name, addresses, Math.min(Math.max(ttl, TTL_LEAST), TTL_MOST) * 1000);
      return addresses;
    } catch (error) {
      const failure = query.cancelled === undefined ? failureOf(error) : new DialError(query.cancelled);
      if (failure.code !== 'names_busy') remember(name, failure, FAILURE_MS);
      throw failure;
    } finally {
      clearTimeout(timer);
      slots.free(query);
      if (pending.get(name) === query) pending.delete(name);
      const isFit = query.cancelled === undefined && query.next === idle;
      if (isFit && idle.length < IDLE_MOST) idle.push(query.resolver);
    }
  }

  function remember(name: string, outcome: Cached['outcome'], ms: number): void {
    // A Map keeps its order: the first name is the oldest.
    cache.delete(name);
    cache.set(name, { until: now() + ms, outcome });
    const [oldest] = cache.keys();
    if (cache.size > CACHED_MOST && oldest !== undefined) cache.delete(oldest);
  }

  return lookup;
}

/** A random part of a time limit, 80 to 100 %: hundreds of names that begin at once neither repeat nor end in one tick. */
function spread(ms: number): number {
  return Math.round(ms * (0.8 + Math.random() / 5));
}

interface Answer {
  readonly addresses: readonly string[];
  /** In seconds. */
  readonly ttl: number;
}

/** Asks for one name after the other until one has addresses. @throws the last error of c-ares */
async function firstAnswer(query: Query, names: readonly string[]): Promise<Answer> {
  let failure: unknown;
  for (const name of names) {
    try {
      return await bothFamilies(query.resolver, name);
    } catch (error) {
      failure = error;
    }
    if (query.cancelled !== undefined) break;
  }
  throw failure;
}

async function bothFamilies(resolver: Resolver, name: string): Promise<Answer> {
  const families = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const found = families.flatMap((family) =>
    family.status === 'fulfilled' ? family.value.slice(0, ADDRESSES_MOST) : [],
  );
  const failures = families.flatMap((family) => (family.status === 'rejected' ? [family.reason] : []));
  // DNS reports a missing family as an error; most names have one family.
  if (found.length === 0) throw failures[0];
  // A family that failed for another reason may answer soon.
  const ttl = failures.every(isAbsent) ? Math.min(...found.map((record) => record.ttl)) : TTL_LEAST;
  return { addresses: found.map(({ address }) => address), ttl };
}

function isAbsent(error: unknown): boolean {
  return /^(?:ENODATA|ENOTFOUND)$/.test(errnoOf(error) ?? '');
}

function failureOf(error: unknown): DialError {
  const code = errnoOf(error);
  return new DialError(code === 'ETIMEOUT' ? 'timeout' : 'resolve_failed', code);
}
