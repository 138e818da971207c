import * as contract from '@propusk/contract/second-factor';
import { recordOwn } from '../audit/store.ts';
import { AppError } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { pipeline } from '../db/pipeline.ts';
import { implement } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { lockChecked } from './account-store.ts';
import {
  beginFactor,
  confirmFactor,
  endFactor,
  findFactor,
  findSealed,
  replaceRecoveryCodes,
  useCode,
} from './factor-store.ts';
import { type ProofCall, proved, wrongCode } from './proof.ts';

/** Routes for the caller's own second factor. */
export function factorRoutes(routes: Slice): void {
  const { throttle, encryption } = routes;

  implement(routes, contract.getSecondFactor, ({ actor, db }) => findFactor(db, actor));

  implement(routes, contract.startSecondFactor, async (call) => {
    const { actor, write } = call;
    // This call checks the password only, so it must not reset the count of wrong second-factor codes.
    await proved(routes, call);
    return write((tx) => beginFactor(tx, actor, encryption));
  });

  implement(routes, contract.confirmSecondFactor, async ({ actor, body, write }) => {
    await using attempt = await throttle.charge('code', actor.userId);
    const codes = await write((tx) => confirmFactor(tx, actor, encryption, body.code));
    if (codes === null) throw attempt.keep(wrongCode());
    return { codes };
  });

  implement(routes, contract.renewRecoveryCodes, (call) =>
    proving(call, async (tx) => {
      await recordOwn(tx, call.actor, 'recovery_codes_renewed');
      return { codes: await replaceRecoveryCodes(tx, call.actor.userId, encryption) };
    }),
  );

  implement(routes, contract.endSecondFactor, (call) =>
    proving(call, async (tx) => {
      await endFactor(tx, call.actor.userId);
      await recordOwn(tx, call.actor, 'second_factor_off');
    }),
  );

  /**
   * Checks the password, then runs a change in a transaction that consumes a second-factor code.
   * @throws AppError second_factor_off
   */
  async function proving<T>(call: CodeCall, change: (tx: Tx) => Promise<T>): Promise<T> {
    const { actor, body, write } = call;
    const { password_hash } = await proved(routes, call);
    await using attempt = await throttle.charge('code', actor.userId);
    const wrong = () => attempt.keep(wrongCode());
    return await write(async (tx) => {
      await lockChecked(tx, actor, password_hash);
      const sealed = await findSealed(tx, actor.userId);
      if (sealed === null) throw new AppError('second_factor_off');
      await pipeline(tx, ...useCode(tx, actor, encryption, { sealed, code: body.code, wrong }));
      return change(tx);
    });
  }
}

interface CodeCall extends ProofCall {
  readonly body: { readonly currentPassword: string; readonly code: string };
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}
