import { type GatewayAccess, myAccess } from '@propusk/contract/access';
import { login, logout, pair } from '@propusk/contract/auth';
import { me, User } from '@propusk/contract/me';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { whyHost } from '@propusk/contract/why';
import * as t from '@propusk/phrases/extension';
import * as z from 'zod/mini';
import { CallFailed, call, consoleOrigin } from './api.ts';
import {
  type Account,
  isSignedInAs,
  refusalOf,
  type State,
  signedOut,
  signOut,
  withAccess,
  withRefusal,
} from './state.ts';
import type { Store } from './store.ts';
import { addressOf, hostOf, portOf } from './tabs.ts';

/** The signed-in session, for both browsers. */
export interface Session {
  /** Fetches the access from the api. @returns the access that is valid after the call */
  refresh(): Promise<GatewayAccess | null>;
  /** @throws CallFailed with a sentence for the user; `second_factor_needed` when the account requires a code */
  signIn(typed: string, who: Typed): Promise<void>;
  /**
   * Redeems a pairing code for a session. The current session stays until `enter`.
   * @throws CallFailed with a sentence for the user
   */
  redeem(origin: string, code: string): Promise<Redeemed>;
  /**
   * Switches to a session and ends the previous one. On failure nothing changes.
   * @throws CallFailed with a sentence for the user
   */
  enter(session: Redeemed): Promise<void>;
  /** Ends a session other than the current one, if its console is reachable. */
  leave(session: Pick<Redeemed, 'origin' | 'token'>): Promise<void>;
  /** Whether the account is already signed in here, with a valid session. */
  isAlready(session: Redeemed): Promise<boolean>;
  /** Signs out locally at once, then calls the api. */
  signOut(): Promise<void>;
  /** Asks the api why a web page did not open, and stores the answer. @param reason the reason that the gateway gave, if the
   * browser shows it */
  explain(url: string, reason?: string): Promise<void>;
  /** Checks whether the gateway accepts connections. */
  probe(): Promise<void>;
}

/** The typed credentials. */
interface Typed {
  readonly email: string;
  readonly password: string;
  /** The second factor's code, when required. */
  readonly code?: string | undefined;
}

/** A session that the user has not accepted yet. */
interface Redeemed {
  readonly origin: string;
  readonly token: string;
  readonly account: Account;
}

const PROBE_MS = 5_000;

/** `GET /me` with only the fields that the extension reads, because an older api does not send some of the others. */
const myAccount = { ...me, reply: z.pick(User, { email: true, name: true, surname: true, company: true }) };

/** @param pinned the console that the browser policy names, or null @param client this extension's name in access records */
export function createSession(
  store: Store,
  pinned: () => Promise<string | null>,
  client: () => Promise<string>,
): Session {
  let refreshing: Promise<GatewayAccess | null> | undefined;

  /** Applies a change only while the same session lasts: a reply may arrive after the sign-out. */
  const changeOf = (token: string, next: (state: State) => State) =>
    store.change((state) => (state.token === token ? next(state) : state));

  async function fetchAccess(): Promise<GatewayAccess | null> {
    const { console: origin, token, proxyHeldBy } = await store.get();
    if (origin === null || token === null) return null;
    try {
      const query = { client: await client(), ...(proxyHeldBy !== null && { proxyHeldBy }) };
      const access = await call(origin, myAccess, { token, query });
      return (await changeOf(token, (state) => withAccess(state, access))).access;
    } catch (error) {
      const { status, message } = failureOf(error);
      const after = await changeOf(token, (state) => {
        if (status === 401) return signOut(state, t.failures.signedOut);
        // The user is signed in, but without access, for example without a company.
        if (status === 403 || status === 409) return { ...state, access: null, problem: message };
        // The console is down or busy: keep the stored access until it expires, so protected sites stay on
        // the proxy.
        return { ...state, consoleAway: true };
      });
      return after.access;
    }
  }

  async function enter({ origin, token }: Pick<Redeemed, 'origin' | 'token'>): Promise<void> {
    await demandPinned(origin);
    const person = accountOf(await call(origin, myAccount, { token }));
    let before = signedOut;
    await store.change((state) => {
      before = state;
      return { ...signedOut, proxyHeldBy: state.proxyHeldBy, console: origin, token, person };
    });
    const left = before.console !== null && before.token !== null;
    await Promise.all([
      fetchAccess().then(probe),
      left && leave({ origin: before.console ?? '', token: before.token ?? '' }),
    ]);
  }

  async function leave({ origin, token }: Pick<Redeemed, 'origin' | 'token'>): Promise<void> {
    // A failed logout is not retried: the session expires after 30 days, its gateway password after one day.
    await call(origin, logout, { token }).catch(() => {});
  }

  async function demandPinned(origin: string): Promise<void> {
    const only = await pinned();
    if (only !== null && only !== origin) {
      throw new CallFailed(0, t.failures.pinned(unicodeHost(only)));
    }
  }

  async function probe(): Promise<void> {
    const { access, token } = await store.get();
    if (access === null || token === null) return;
    const { scheme, host, port } = access.gateway;
    // The gateway refuses a request that is no proxy request, but any reply shows that it runs.
    const there = await fetch(`${scheme}://${host}:${port}/`, {
      method: 'HEAD',
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(PROBE_MS),
    }).then(
      () => true,
      () => false,
    );
    await changeOf(token, (state) =>
      state.gatewayAway === there ? { ...state, gatewayAway: !there } : state,
    );
  }

  function refresh(): Promise<GatewayAccess | null> {
    refreshing ??= fetchAccess().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  return {
    probe,
    refresh,
    async signIn(typed, { email, password, code }) {
      const origin = consoleOrigin(typed);
      if (origin === null) throw new CallFailed(0, t.failures.noAddress);
      await demandPinned(origin);
      const { token } = await call(origin, login, { body: { email, password, code, client: 'extension' } });
      await enter({ origin, token });
    },
    enter,
    leave,
    async redeem(origin, code) {
      await demandPinned(origin);
      const { token } = await call(origin, pair, { body: { code } });
      try {
        return { origin, token, account: accountOf(await call(origin, myAccount, { token })) };
      } catch (error) {
        await leave({ origin, token });
        throw error;
      }
    },
    async isAlready({ origin, account }) {
      if (!isSignedInAs(await store.get(), origin, account)) return false;
      // Ask the api, because the stored session can have ended on the server.
      await refresh();
      return isSignedInAs(await store.get(), origin, account);
    },
    async signOut() {
      const { console: origin, token } = await store.get();
      await store.change((state) => signOut(state));
      if (origin !== null && token !== null) await leave({ origin, token });
    },
    async explain(url, reason) {
      const { console: origin, token } = await store.get();
      if (origin === null || token === null) return;
      const query = { host: hostOf(url), port: portOf(url) };
      const refusal = await call(origin, whyHost, { token, query }).then(refusalOf, (error) => {
        const { status, message: advice } = failureOf(error);
        if (status === 401) return null;
        return { kind: 'refused', message: t.refusals.refused, advice } as const;
      });
      const ended = reason === 'suspended' ? t.failures.suspended : t.failures.signedOut;
      await changeOf(token, (state) =>
        refusal === null ? signOut(state, ended) : withRefusal(state, addressOf(url), refusal),
      );
    },
  };
}

/** An untrusted console supplies these texts, so cut them at the maximum length of an email address. */
const WORDS_MAX = 254;

function accountOf({ email, name, surname, company }: z.infer<typeof myAccount.reply>): Account {
  // Strips control and bidirectional characters, because the pairing question shows texts of an untrusted
  // console.
  const plain = (text: string) =>
    text
      .replace(/[\p{Cc}\p{Cf}]/gu, '')
      .slice(0, WORDS_MAX)
      .toWellFormed();
  const full = plain([name, surname].filter(Boolean).join(' '));
  return {
    email: plain(email),
    name: full === '' ? plain(email) : full,
    company: company === null ? null : plain(company.companyName),
  };
}

function failureOf(error: unknown): CallFailed {
  if (error instanceof CallFailed) return error;
  throw error;
}
