import { isIP } from 'node:net';

/**
 * What a probe asks of a site, made up before anything is asked: pure, so that every list can be looked at in a test.
 *
 *   outside   each scheme, host and address:  /  ─ with spoofed headers  ─ other places of the site
 *   through   each proxy of the site's policies, by each scheme:  /
 */

/** Where a site answers: https, http, or on a port that was named whichever it speaks. */
export type Scheme = 'https' | 'http';

interface Step {
  readonly title: string;
}

/** A request from a stranger's place, to one address of one name. */
export interface OutsideStep extends Step {
  readonly vantage: 'outside';
  readonly kind: 'plain' | 'spoofed' | 'deep' | 'acme';
  readonly host: string;
  readonly port: number;
  readonly scheme: Scheme;
  readonly address: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A name that a probe did not go to. */
interface UnreachableStep extends Step {
  readonly vantage: 'outside';
  readonly kind: 'unresolved' | 'address_refused';
  readonly host: string;
}

/** The call of our echo through a proxy, before the site itself is asked. */
export interface EgressStep extends Step {
  readonly vantage: 'through';
  readonly kind: 'egress';
  readonly proxyId: number;
}

/** A request through a proxy of the site's policies. */
export interface ThroughStep extends Step {
  readonly vantage: 'through';
  readonly kind: 'get';
  readonly proxyId: number;
  readonly host: string;
  readonly port: number;
  readonly scheme: Scheme;
}

export type PlannedStep = OutsideStep | UnreachableStep | EgressStep | ThroughStep;

/** The proxy of a step; 0 for a step without one. */
export const proxyOf = (step: PlannedStep) => ('proxyId' in step ? step.proxyId : 0);

/** A name with what it resolved to. */
export interface Resolved {
  readonly host: string;
  readonly addresses: readonly string[];
  /** The first address that may not be connected to: then none is. */
  readonly refused: string | null;
  /** A name that need not be there: `www.` or one that was made up. */
  readonly optional: boolean;
}

export interface PlanInput {
  readonly names: readonly Resolved[];
  /** The port that the site names, or null for 443 and 80. */
  readonly port: number | null;
  readonly proxies: readonly { readonly id: number; readonly name: string }[];
  /** An address that the lock lets in, for the headers that pretend to come from it. */
  readonly egress: string | null;
  /** Letters that nobody could have guessed. */
  readonly random: string;
}

/** Addresses that are asked, over all names. */
const MOST_ADDRESSES = 8;

/** The names that a site covers, in the order in which they are asked. */
export function namesOf(
  { host, wildcard }: { host: string; wildcard: boolean },
  random: string,
): { host: string; optional: boolean }[] {
  const names = [{ host, optional: wildcard }];
  if (!host.startsWith('www.')) names.push({ host: `www.${host}`, optional: true });
  if (wildcard) names.push({ host: `${random}.${host}`, optional: true });
  return names;
}

/** The calls of our echo, which come first: what they show goes into the rest. */
export function planEgress(proxies: PlanInput['proxies']): EgressStep[] {
  return proxies.map(({ id, name }) => ({
    vantage: 'through',
    kind: 'egress',
    proxyId: id,
    title: `Через ${name}: адрес выхода`,
  }));
}

/** The requests to the site, in the order in which they are shown. */
export function planRequests({ names, port, proxies, egress, random }: PlanInput): PlannedStep[] {
  const steps: PlannedStep[] = [];
  const found = names.filter(({ addresses }) => addresses.length > 0);
  for (const { host, refused, optional, addresses } of names) {
    if (refused !== null) {
      steps.push({ vantage: 'outside', kind: 'address_refused', host, title: `Снаружи: ${host}` });
    } else if (addresses.length === 0 && (!optional || found.length === 0)) {
      steps.push({ vantage: 'outside', kind: 'unresolved', host, title: `Снаружи: ${host}` });
    }
  }
  let left = MOST_ADDRESSES;
  for (const { host, addresses } of found.filter(({ refused }) => refused === null)) {
    for (const address of addresses.slice(0, left)) {
      for (const [scheme, at] of placesOf(port)) {
        steps.push(...outsideSteps({ host, address, scheme, port: at, egress, random }));
      }
    }
    left = Math.max(0, left - addresses.length);
  }
  const main = found.find(({ refused }) => refused === null)?.host ?? null;
  for (const { id, name } of proxies) {
    if (main === null) continue;
    for (const [scheme, at] of placesOf(port)) {
      steps.push({
        vantage: 'through',
        kind: 'get',
        proxyId: id,
        host: main,
        port: at,
        scheme,
        title: `Через ${name}: ${spelled(scheme, main, at)}`,
      });
    }
  }
  return steps;
}

/** TLS first: a plain request to a TLS port looks like a broken site. */
function placesOf(port: number | null): [Scheme, number][] {
  return port === null
    ? [
        ['https', 443],
        ['http', 80],
      ]
    : [
        ['https', port],
        ['http', port],
      ];
}

function spelled(scheme: Scheme, host: string, port: number): string {
  return `${scheme}://${host}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}`;
}

function outsideSteps(at: {
  host: string;
  address: string;
  scheme: Scheme;
  port: number;
  egress: string | null;
  random: string;
}): OutsideStep[] {
  const { host, address, scheme, port, egress, random } = at;
  const where = `Снаружи, ${spelled(scheme, host, port)} (${address})`;
  const common = { vantage: 'outside', host, port, scheme, address } as const;
  return [
    { ...common, kind: 'plain', path: '/', headers: {}, title: where },
    ...spoofs(egress).map(([name, value]) => ({
      ...common,
      kind: 'spoofed' as const,
      path: '/',
      headers: { [name]: value },
      title: `${where}, с поддельным ${name}`,
    })),
    ...elsewhere(random).map(([kind, path, title]) => ({
      ...common,
      kind,
      path,
      headers: {},
      title: `${where}, ${title}`,
    })),
  ];
}

/**
 * Places that servers keep settings of their own for, and so may have left out of the lock: folders, programs, files that
 * are handed out as they are, and certificates.
 */
function elsewhere(random: string): ['deep' | 'acme', path: string, title: string][] {
  return [
    ['deep', `/${random}/${random}`, 'вложенный путь'],
    ['deep', '/index.php', '/index.php'],
    ['deep', `/${random}.php`, 'программа .php'],
    ['deep', `/${random}.css`, 'файл .css'],
    ['acme', `/.well-known/acme-challenge/${random}`, 'место для сертификата'],
  ];
}

/** Headers in which servers look for the visitor's address (RFC 7239, and what stood there before it). */
function spoofs(egress: string | null): [string, string][] {
  if (egress === null) return [];
  const node = isIP(egress) === 6 ? `"[${egress}]"` : egress;
  return [
    ['X-Forwarded-For', egress],
    ['X-Real-IP', egress],
    ['CF-Connecting-IP', egress],
    ['True-Client-IP', egress],
    ['Forwarded', `for=${node}`],
  ];
}
