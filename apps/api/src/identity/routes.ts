import { changeOwnPassword, createPairing, login, logout, pair } from '@propusk/contract/auth';
import { DEVICE_HEADER } from '@propusk/contract/endpoint';
import * as sessions from '@propusk/contract/sessions';
import { AppError } from '../core/errors.ts';
import { signedIn, strangers } from '../core/fair-queue.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { keyOf } from '../throttle/budgets.ts';
import { findAccount, holdPassword, setOwnPassword } from './account-store.ts';
import { issueMark, readMark } from './device-mark.ts';
import { factorRoutes } from './factor-routes.ts';
import { useCode } from './factor-store.ts';
import { linkRoutes } from './link-routes.ts';
import { addPairingCode, redeemPairingCode } from './pairing-store.ts';
import { proved } from './proof.ts';
import { endOneSession, endOtherSessions, listSessions } from './session-store.ts';
import { endSession, openSession } from './store.ts';

/** Routes for sign-in, mailed links, pairing of the extension, and sessions (spec section 7). */
export function identityRoutes(routes: Slice): void {
  const { encryption, passwords, throttle } = routes;

  implement(routes, login, async ({ body, address, agent, device, db, write, header }) => {
    const { email, password, code, client } = body;
    const mark = readMark(encryption, email, device);
    // The rate limits count an attempt before any query runs, except an attempt with a valid device mark of an earlier sign-in.
    const marked = mark === null ? undefined : await findAccount(db, email);
    const known = marked && mark?.idUnder(marked.password_hash);
    const ofAccount = keyOf('passwordAccount', email);
    const ofPair = keyOf('passwordPair', email, address);
    await using attempt = await throttle.begin(
      { lane: strangers(address), keys: [ofPair, keyOf('passwordAddress', address), ofAccount] },
      known !== undefined && {
        lane: { known: true, line: ofAccount.name },
        keys: [keyOf('passwordDevice', known)],
      },
    );
    const account = marked ?? (await findAccount(db, email));
    const isRight = await passwords.verify(password, account?.password_hash, attempt.way.lane);
    if (account === undefined || !isRight) throw attempt.keep(new AppError('bad_login'));
    // A wrong second-factor code also counts as a failed password attempt.
    if (code !== undefined) await attempt.charge(keyOf('code', account.id));
    const wrong = () => attempt.keep(new AppError('wrong_code'));
    const checks = [
      holdPassword(db, account),
      ...useCode(db, { userId: account.id, address }, encryption, { sealed: account.sealed, code, wrong }),
    ];
    const token = await write(async (tx) => {
      const opened = await openSession(tx, account.id, { client, address, agent }, checks);
      // While the transaction commits, `succeed` removes this attempt from the counts of the rate limits.
      attempt.succeed();
      return opened;
    });
    header(DEVICE_HEADER, issueMark(encryption, email, account.password_hash));
    return { token };
  });

  implement(routes, changeOwnPassword, async (call) => {
    const { actor, body, write, header } = call;
    const { email, password_hash } = await proved(routes, call);
    const passwordHash = await passwords.hash(body.password, signedIn(actor.userId));
    await write((tx) => setOwnPassword(tx, actor, password_hash, passwordHash));
    header(DEVICE_HEADER, issueMark(encryption, email, passwordHash));
  });

  linkRoutes(routes);
  factorRoutes(routes);

  implement(routes, createPairing, async ({ actor, write }) => {
    await throttle.charge('pairing', actor.userId);
    return write((tx) => addPairingCode(tx, actor));
  });
  implement(routes, pair, ({ body, address, agent, write }) =>
    throttle.redeeming('pairingCode', address, async () => ({
      token: await write((tx) => redeemPairingCode(tx, body.code, { address, agent })),
    })),
  );

  implement(routes, sessions.listSessions, ({ actor, db }) => listSessions(db, actor));
  implement(routes, sessions.endSession, ({ actor, params, write }) =>
    write((tx) => endOneSession(tx, actor, params.id)),
  );
  implement(routes, sessions.endOtherSessions, ({ actor, write }) =>
    write((tx) => endOtherSessions(tx, actor)),
  );
  implement(routes, logout, ({ actor, write }) => write((tx) => endSession(tx, actor)));
}
