import * as contract from '@propusk/contract/second-factor';
import { lockAccount, wrongPassword } from '../accounts/store.ts';
import { recordOwn } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';
import { implement, type Routes } from '../http/implement.ts';
import type { Teller } from '../mail/tell-holder.ts';
import {
  beginFactor,
  confirmFactor,
  endFactor,
  findFactor,
  replaceRecoveryCodes,
  resetFactor,
  useCode,
} from './factor-store.ts';
import { type ProofParts, proved, wrongCode } from './proof.ts';

/** Calls of the second factor: the caller's own, and the reset of another user's. */
export function factorRoutes(routes: Routes, own: ProofParts, teller: Teller): void {
  const { limits, encryption } = own;

  implement(routes, contract.getSecondFactor, ({ actor, db }) => findFactor(db, actor));

  implement(routes, contract.startSecondFactor, async (call) => {
    const { actor, write } = call;
    // This call checks the password only, so it must not reset the count of wrong second-factor codes.
    await proved(own, call);
    return write((tx) => beginFactor(tx, actor, encryption));
  });

  implement(routes, contract.confirmSecondFactor, async ({ actor, body, write }) => {
    let codes: string[] | null = null;
    await limits.checkCode(actor.userId, async () => {
      codes = await write((tx) => confirmFactor(tx, actor, encryption, body.code));
      return codes !== null;
    });
    if (codes === null) throw wrongCode();
    return { codes };
  });

  implement(routes, contract.renewRecoveryCodes, async (call) => {
    const { actor, body, write } = call;
    let codes: string[] = [];
    const { password_hash } = await proved(own, call);
    const right = await limits.checkCode(actor.userId, () =>
      write(async (tx) => {
        if (!(await takeCode(tx, actor, password_hash, body.code))) return false;
        codes = await replaceRecoveryCodes(tx, actor.userId, encryption);
        await recordOwn(tx, actor, 'recovery_codes_renewed');
        return true;
      }),
    );
    if (!right) throw wrongCode();
    return { codes };
  });

  implement(routes, contract.endSecondFactor, async (call) => {
    const { actor, body, write } = call;
    const { password_hash } = await proved(own, call);
    const right = await limits.checkCode(actor.userId, () =>
      write(async (tx) => {
        if (!(await takeCode(tx, actor, password_hash, body.code))) return false;
        await endFactor(tx, actor.userId);
        await recordOwn(tx, actor, 'second_factor_off');
        return true;
      }),
    );
    if (!right) throw wrongCode();
  });

  implement(routes, contract.resetSecondFactor, async ({ actor, params, db, write }) => {
    const tell = await teller(db, actor, params.id);
    return write((tx) => resetFactor(tx, actor, params.id, tell));
  });

  /** @throws AppError second_factor_off */
  async function takeCode(tx: Tx, actor: Actor, checked: string, code: string): Promise<boolean> {
    const account = await lockAccount(tx, actor.userId);
    if (account?.password_hash !== checked) throw wrongPassword();
    if (!(await findFactor(tx, actor)).on) throw new AppError('second_factor_off');
    return useCode(tx, actor, encryption, code);
  }
}
