import { createRoute } from '@propusk/access/pac-route';
import { GatewayAccess } from '@propusk/contract/access';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { Explanation } from '@propusk/contract/why';
import * as t from '@propusk/phrases/extension';
import * as z from 'zod/mini';
import { catch as lenient } from 'zod/mini';

// The extension CSP forbids eval; zod would try it, and the browser would log a violation.
z.config({ jitless: true });

/** The last known reason why a site did not open. */
export const Refusal = z.object({
  /** `refused`: the gateway denied access. `unreached`: access is allowed, and the site did not reply. */
  kind: z.enum(['refused', 'unreached', 'gateway_away']),
  message: z.string(),
  advice: z.nullable(z.string()),
  /** The time at which access begins, if it is known. */
  until: z.nullish(z.string()),
});
export type Refusal = z.infer<typeof Refusal>;

/** The session's account. The console supplies these texts, which are not trusted. */
export const Account = z.object({
  email: z.string(),
  name: z.string(),
  company: z._default(z.nullable(z.string()), null),
});
export type Account = z.infer<typeof Account>;

/**
 * The extension's whole state. It is kept in `storage.local`, because the browser stops the worker after 30 idle seconds. After
 * an update, the state may be from another version. Therefore each missing or invalid field gets its default, and the others stay.
 */
export const State = z.object({
  /** The last console's origin; kept after a sign-out to prefill the form. */
  console: lenient(z.nullable(z.string()), null),
  token: lenient(z.nullable(z.string()), null),
  person: lenient(z.nullable(Account), null),
  access: lenient(z.nullable(GatewayAccess), null),
  /** Why a signed-in user has no access: a message of the api. */
  problem: lenient(z.nullable(z.string()), null),
  /** The last call to the console got no reply. */
  consoleAway: lenient(z.boolean(), false),
  /** The last connection to the gateway failed. */
  gatewayAway: lenient(z.boolean(), false),
  /** The program that controls the browser's proxy setting in place of this extension; null for none. */
  proxyHeldBy: lenient(z.nullable(z.enum(['extension', 'policy'])), null),
  /** Refusals by `host:port`; the key omits ports 80 and 443. */
  refusals: lenient(z.record(z.string(), Refusal), {}),
});
export type State = z.infer<typeof State>;

export const signedOut: State = State.parse({});

/** Parses the stored state. One without a token or a console counts as signed out. */
export function readState(stored: unknown): State {
  const { data: state = signedOut } = State.safeParse(stored);
  return state.console === null || state.token === null ? signOut(state, state.problem) : state;
}

/** Whether this account of this console is signed in. */
export function isSignedInAs(state: State, origin: string, { email }: Account): boolean {
  return (
    state.token !== null &&
    state.console === origin &&
    state.person?.email.toLowerCase() === email.toLowerCase()
  );
}

/** Clears the session; the console's address and the holder of the proxy setting stay. */
export function signOut(state: State, problem: string | null = null): State {
  return { ...signedOut, console: state.console, proxyHeldBy: state.proxyHeldBy, problem };
}

const isPast = (time: string | null | undefined) => Boolean(time) && Date.parse(time ?? '') <= Date.now();

/** Stores a fresh reply of `GET /me/access`. A new policy version clears all refusals. When access to a site begins, the refusal
 * of that site is cleared. */
export function withAccess(state: State, access: GatewayAccess): State {
  const kept = access.version === state.access?.version ? Object.entries(state.refusals) : [];
  const refusals = Object.fromEntries(kept.filter(([, { until }]) => !isPast(until)));
  return { ...state, access, refusals, problem: null, consoleAway: false };
}

const REFUSALS_KEPT = 100;

/** Stores why an address did not open; beyond the limit the oldest entries are dropped. */
export function withRefusal(state: State, address: string, refusal: Refusal): State {
  const { [address]: _, ...others } = state.refusals;
  const kept = Object.entries(others).slice(1 - REFUSALS_KEPT);
  return {
    ...state,
    gatewayAway: refusal.kind === 'gateway_away',
    refusals: { ...Object.fromEntries(kept), [address]: refusal },
  };
}

/** The latest refusal that concerns a listed site. Its message begins with the refused address, unless that is the site's. */
export function refusalOfSite({ access, refusals }: State, site: string): Refusal | undefined {
  const covers = access ? createRoute({ ...access, allSites: false, sites: [site] }) : () => false;
  const [address = '', refusal] =
    Object.entries(refusals).findLast(([key]) => covers(`http://${key}/`)) ?? [];
  if (refusal === undefined || address === site) return refusal;
  return { ...refusal, message: `${unicodeHost(address)}: ${refusal.message}` };
}

/**
 * Whether a site is open by its times, and until when (null for ever, undefined if unknown). Undefined for a site without times.
 * If `until` has passed since the state was stored, a site stored as open is closed, and the reverse.
 */
export function timesOfSite(
  { access }: State,
  site: string,
): { open: boolean; until?: string | null } | undefined {
  const times = access?.times?.find((each) => each.site === site);
  return times && isPast(times.until) ? { open: !times.open } : times;
}

/** Clears the refusal of an address that opened through the gateway. */
export function withOpened(state: State, address: string): State {
  if (!state.gatewayAway && state.refusals[address] === undefined) return state;
  const { [address]: _, ...refusals } = state.refusals;
  return { ...state, gatewayAway: false, refusals };
}

/** Turns the api's explanation of a failed host into a refusal. */
export function refusalOf(explanation: Explanation): Refusal {
  if (explanation.allow) {
    return { kind: 'unreached', ...t.refusals.unreached };
  }
  const { message, advice, until } = explanation;
  return { kind: 'refused', message, advice, until };
}

/** The refusal while the gateway accepts no connections: protected sites stay closed. */
export const gatewayAway: Refusal = { kind: 'gateway_away', ...t.refusals.gatewayAway };

/** The refusal when the browser does not trust the gateway's certificate. */
export const gatewayCertificate: Refusal = { kind: 'gateway_away', ...t.refusals.gatewayCertificate };
