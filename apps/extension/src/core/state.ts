import { GatewayAccess } from '@propusk/contract/access';
import { Explanation } from '@propusk/contract/why';
import * as t from '@propusk/phrases/extension';
import * as z from 'zod/mini';

// Extensions may not make code of text; zod would try, and the browser would log it as an attack.
z.config({ jitless: true });

/** Why a site did not open, as it was last seen. */
export const Refusal = z.object({
  /** `refused`: the gateway said no. `unreached`: it let us through, and the site did not answer. */
  kind: z.enum(['refused', 'unreached', 'gateway_away']),
  message: z.string(),
  advice: z.nullable(z.string()),
});
export type Refusal = z.infer<typeof Refusal>;

/** Whose session it is. A console's words about itself: they are shown, and decide nothing. */
export const Account = z.object({
  email: z.string(),
  name: z.string(),
  company: z._default(z.nullable(z.string()), null),
});
export type Account = z.infer<typeof Account>;

/**
 * All that the extension knows. It lives in `storage.local`, for a worker dies after half a minute without work; what is
 * kept in memory is a copy.
 */
export const State = z.object({
  /** Origin of the console that was signed in to last; kept over signing out, to be offered again. */
  console: z.nullable(z.string()),
  token: z.nullable(z.string()),
  person: z.nullable(Account),
  access: z.nullable(GatewayAccess),
  /** Why there is no access although somebody is signed in: a sentence of the api. */
  problem: z.nullable(z.string()),
  /** The console did not answer the last time that it was asked. */
  consoleAway: z.boolean(),
  /** The gateway did not take the connection the last time that a browser or the popup tried. */
  gatewayAway: z.boolean(),
  /** Who else holds the browser's proxy setting. */
  proxyHeldBy: z.nullable(z.enum(['extension', 'policy'])),
  /** What did not open, by host. */
  refusals: z.record(z.string(), Refusal),
});
export type State = z.infer<typeof State>;

export const signedOut: State = {
  console: null,
  token: null,
  person: null,
  access: null,
  problem: null,
  consoleAway: false,
  gatewayAway: false,
  proxyHeldBy: null,
  refusals: {},
};

/** Reads what was stored; anything that does not fit, say of an older version, is nobody's. */
export function readState(stored: unknown): State {
  const read = State.safeParse(stored);
  return read.success ? read.data : signedOut;
}

/** Whether a console's account is the one that is signed in. */
export function isSignedInAs(state: State, origin: string, { email }: Account): boolean {
  return (
    state.token !== null &&
    state.console === origin &&
    state.person?.email.toLowerCase() === email.toLowerCase()
  );
}

/** Nobody any more; the console's address and what holds the proxy setting stay. */
export function signOut(state: State, problem: string | null = null): State {
  return { ...signedOut, console: state.console, proxyHeldBy: state.proxyHeldBy, problem };
}

/** A fresh answer of `GET /me/access`. What was refused under other policies may be open under these. */
export function withAccess(state: State, access: GatewayAccess): State {
  const refusals = access.version === state.access?.version ? state.refusals : {};
  return { ...state, access, refusals, problem: null, consoleAway: false };
}

const REFUSALS_KEPT = 100;

/** Remembers why a host did not open; of too many the oldest are forgotten. */
export function withRefusal(state: State, host: string, refusal: Refusal): State {
  const { [host]: _, ...others } = state.refusals;
  const kept = Object.entries(others).slice(1 - REFUSALS_KEPT);
  return {
    ...state,
    gatewayAway: refusal.kind === 'gateway_away',
    refusals: { ...Object.fromEntries(kept), [host]: refusal },
  };
}

/** A host opened through the gateway: what was wrong is over. */
export function withOpened(state: State, host: string): State {
  if (!state.gatewayAway && state.refusals[host] === undefined) return state;
  const { [host]: _, ...refusals } = state.refusals;
  return { ...state, gatewayAway: false, refusals };
}

/** What the api said of a host whose page the browser could not open. */
export function refusalOf(explanation: Explanation): Refusal {
  if (explanation.allow) {
    return { kind: 'unreached', ...t.refusals.unreached };
  }
  return { kind: 'refused', message: explanation.message, advice: explanation.advice };
}

/** The refusal of a gateway that takes no connections: the site stays shut until it is back. */
export const gatewayAway: Refusal = { kind: 'gateway_away', ...t.refusals.gatewayAway };
