import { type GatewayAccess, myAccess } from '@propusk/contract/access';
import { login, logout, pair } from '@propusk/contract/auth';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { me, type User } from '@propusk/contract/users';
import { whyHost } from '@propusk/contract/why';
import * as t from '@propusk/phrases/extension';
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

/** Being signed in: what the worker does about it, in either browser. */
export interface Session {
  /** Asks the api what is open now. @returns the access that is in force after it */
  refresh(): Promise<GatewayAccess | null>;
  /** @throws CallFailed with a sentence for the person; `second_factor_needed` when a code is to come with it */
  signIn(typed: string, who: Typed): Promise<void>;
  /**
   * Makes a session of a pairing code, to be entered or left: who is signed in here stays so.
   * @throws CallFailed with a sentence for the person
   */
  redeem(origin: string, code: string): Promise<Redeemed>;
  /**
   * Goes on with a session; the one before it ends.
   * @throws CallFailed with a sentence for the person, and then nothing has changed
   */
  enter(session: Redeemed): Promise<void>;
  /** Ends a session that is not, or no more, this extension's, if its console can be reached. */
  leave(session: Pick<Redeemed, 'origin' | 'token'>): Promise<void>;
  /** Whether the account of a session is signed in here already, in a session that still works. */
  isAlready(session: Redeemed): Promise<boolean>;
  /** Signs out here at once; the api is told when it can be. */
  signOut(): Promise<void>;
  /** Asks the api why a host did not open, and remembers it. Null: the api did not answer. */
  explain(host: string, port: number): Promise<void>;
  /** Whether the gateway takes connections. */
  probe(): Promise<void>;
}

/** What a person signs in with. */
interface Typed {
  readonly email: string;
  readonly password: string;
  /** Of the second factor, where it is asked for. */
  readonly code?: string | undefined;
}

/** A session of a console that nobody has agreed to yet. */
interface Redeemed {
  readonly origin: string;
  readonly token: string;
  readonly account: Account;
}

const PROBE_MS = 5_000;

/** @param pinned the console that the company's policy names, or null */
export function createSession(store: Store, pinned: () => Promise<string | null>): Session {
  let refreshing: Promise<GatewayAccess | null> | undefined;

  /** A change that counts only while the same session goes on: an answer may come after the sign-out. */
  const changeOf = (token: string, next: (state: State) => State) =>
    store.change((state) => (state.token === token ? next(state) : state));

  async function fetchAccess(): Promise<GatewayAccess | null> {
    const { console: origin, token } = await store.get();
    if (origin === null || token === null) return null;
    try {
      const access = await call(origin, myAccess, { token });
      return (await changeOf(token, (state) => withAccess(state, access))).access;
    } catch (error) {
      const { status, message } = failureOf(error);
      const after = await changeOf(token, (state) => {
        if (status === 401) return signOut(state, t.failures.signedOut);
        // Signed in, but of no company or without a role: nothing is open.
        if (status === 403 || status === 409) return { ...state, access: null, problem: message };
        // Away or busy: what was open goes on until its time is over, and what is protected stays so.
        return { ...state, consoleAway: true };
      });
      return after.access;
    }
  }

  async function enter({ origin, token }: Pick<Redeemed, 'origin' | 'token'>): Promise<void> {
    await demandPinned(origin);
    const person = accountOf(await call(origin, me, { token }));
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
    // A console that is away is not waited for: the session ends by itself in 30 days, the gateway's password in one.
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
    // It refuses what is no request for a proxy; any answer at all shows that it is there.
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
        return { origin, token, account: accountOf(await call(origin, me, { token })) };
      } catch (error) {
        await leave({ origin, token });
        throw error;
      }
    },
    async isAlready({ origin, account }) {
      if (!isSignedInAs(await store.get(), origin, account)) return false;
      // A session that has ended meanwhile is found out by asking.
      await refresh();
      return isSignedInAs(await store.get(), origin, account);
    },
    async signOut() {
      const { console: origin, token } = await store.get();
      await store.change((state) => signOut(state));
      if (origin !== null && token !== null) await leave({ origin, token });
    },
    async explain(host, port) {
      const { console: origin, token } = await store.get();
      if (origin === null || token === null) return;
      try {
        const explanation = await call(origin, whyHost, { token, query: { host, port } });
        await changeOf(token, (state) => withRefusal(state, host, refusalOf(explanation)));
      } catch (error) {
        const { message } = failureOf(error);
        await changeOf(token, (state) =>
          withRefusal(state, host, {
            kind: 'refused',
            message: t.refusals.refused,
            advice: message,
          }),
        );
      }
    },
  };
}

/** As long as an address in mail may be: a console that is not trusted yet writes into our question. */
const WORDS_MAX = 254;

function accountOf({ email, name, surname, company }: User): Account {
  // Nothing that turns the reading direction or hides: of a foreign console's words the question is made.
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
