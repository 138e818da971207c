import { login, logout, register } from '@propusk/contract/auth';
import { AppError } from '../http/errors.ts';
import { implement, type Routes } from '../http/implement.ts';
import { hashPassword, verifyPassword } from '../passwords.ts';
import { endSession, findAccount, openSession, registerCompany } from './store.ts';

/** Spec section 7: signing in and out, registration. */
export function authRoutes(routes: Routes): void {
  implement(routes, login, async ({ body, db, write }) => {
    const account = await findAccount(db, body.email);
    if (!(await verifyPassword(body.password, account?.password_hash)) || account === undefined) {
      throw new AppError('bad_login');
    }
    return { token: await write((tx) => openSession(tx, account.id)) };
  });

  implement(routes, register, async ({ body, write }) => {
    const passwordHash = await hashPassword(body.password);
    return {
      token: await write(async (tx) => openSession(tx, await registerCompany(tx, body, passwordHash))),
    };
  });

  implement(routes, logout, ({ actor, write }) => write((tx) => endSession(tx, actor.tokenHash)));
}
