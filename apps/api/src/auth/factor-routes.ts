import * as contract from '@propusk/contract/second-factor';
import { recordOwn } from '../audit/store.ts';
import type { Db, Tx } from '../db/open.ts';
import type { Actor } from '../http/actor.ts';
import { AppError } from '../http/errors.ts';
import { implement, type Routes } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import { verifyPassword } from '../passwords.ts';
import {
  beginFactor,
  confirmFactor,
  endFactor,
  findFactor,
  replaceRecoveryCodes,
  resetFactor,
  useCode,
} from './factor-store.ts';
import { findOwnAccount, lockAccount, wrongPassword } from './store.ts';

/** The second factor: one's own, and the end of somebody else's who has lost it. */
export function factorRoutes(routes: Routes, limits: Limits): void {
  const { sealing } = routes;

  implement(routes, contract.getSecondFactor, ({ actor, db }) => findFactor(db, actor));

  implement(routes, contract.startSecondFactor, async ({ actor, body, address, db, write }) => {
    // A password alone is no code: it must not clear what was tried of those.
    await proved(db, actor, { ...body, address }, async () => true);
    return write((tx) => beginFactor(tx, actor, sealing));
  });

  implement(routes, contract.confirmSecondFactor, async ({ actor, body, write }) => {
    let codes: string[] | null = null;
    await limits.checkCode(actor.userId, async () => {
      codes = await write((tx) => confirmFactor(tx, actor, sealing, body.code));
      return codes !== null;
    });
    if (codes === null) throw wrongCode();
    return { codes };
  });

  implement(routes, contract.renewRecoveryCodes, async ({ actor, body, address, db, write }) => {
    let codes: string[] = [];
    await proved(db, actor, { ...body, address }, (checked) =>
      limits.checkCode(actor.userId, () =>
        write(async (tx) => {
          if (!(await takeCode(tx, actor, checked, body.code))) return false;
          codes = await replaceRecoveryCodes(tx, actor.userId, sealing);
          await recordOwn(tx, actor, 'recovery_codes_renewed');
          return true;
        }),
      ),
    );
    return { codes };
  });

  implement(routes, contract.endSecondFactor, ({ actor, body, address, db, write }) =>
    proved(db, actor, { ...body, address }, (checked) =>
      limits.checkCode(actor.userId, () =>
        write(async (tx) => {
          if (!(await takeCode(tx, actor, checked, body.code))) return false;
          await endFactor(tx, actor.userId);
          await recordOwn(tx, actor, 'second_factor_off');
          return true;
        }),
      ),
    ),
  );

  implement(routes, contract.resetSecondFactor, ({ actor, params, write }) =>
    write((tx) => resetFactor(tx, actor, params.id)),
  );

  /**
   * Does what a person may do who proves once more who they are. Password and code are tries of the same budgets as at
   * sign-in.
   * @param work given the hash that the password was checked against; false when the code is not right
   * @throws AppError bad_input, too_many_requests
   */
  async function proved(
    db: Db,
    actor: Actor,
    given: { currentPassword: string; address: string },
    work: (checked: string) => Promise<boolean>,
  ): Promise<void> {
    const { email, password_hash } = await findOwnAccount(db, actor);
    let passwordRight = false;
    const right = await limits.checkOwnPassword(email, given.address, async () => {
      passwordRight = await verifyPassword(given.currentPassword, password_hash);
      return passwordRight && work(password_hash);
    });
    if (!right) throw passwordRight ? wrongCode() : wrongPassword();
  }

  /** @throws AppError second_factor_off */
  async function takeCode(tx: Tx, actor: Actor, checked: string, code: string): Promise<boolean> {
    const account = await lockAccount(tx, actor.userId);
    if (account?.password_hash !== checked) throw wrongPassword();
    if (!(await findFactor(tx, actor)).on) throw new AppError('second_factor_off');
    return useCode(tx, actor, sealing, code);
  }
}

/** The refusal of a code of somebody who is signed in: the session goes on. */
function wrongCode(): AppError {
  return new AppError('bad_input', {
    fields: { code: 'Код не подошёл. Дождитесь следующего и проверьте время на телефоне' },
  });
}
