import { login, logout, register } from '@propusk/contract/auth';
import { AppError } from '../http/errors.ts';
import { implement, type Routes } from '../http/implement.ts';
import { hashPassword, verifyPassword } from '../passwords.ts';
import { type LinkParts, linkRoutes } from './link-routes.ts';
import { pairingRoutes } from './pairing-routes.ts';
import { endSession, findAccount, openSession, registerCompany, signIn } from './store.ts';

/** Spec section 7: signing in and out, registration, links in mail. */
export function authRoutes(routes: Routes, parts: LinkParts): void {
  const { limits } = parts;

  implement(routes, login, async ({ body, address, db, write }) => {
    let account: Awaited<ReturnType<typeof findAccount>>;
    const right = await limits.checkPassword(body.email, address, async () => {
      account = await findAccount(db, body.email);
      return verifyPassword(body.password, account?.password_hash);
    });
    const found = right ? account : undefined;
    if (found === undefined) throw new AppError('bad_login');
    return { token: await write((tx) => signIn(tx, found, body.client)) };
  });

  implement(routes, register, async ({ body, address, write }) => {
    await limits.countRegistration(address);
    const passwordHash = await hashPassword(body.password);
    return {
      token: await write(async (tx) => openSession(tx, await registerCompany(tx, body, passwordHash))),
    };
  });

  linkRoutes(routes, parts);
  pairingRoutes(routes, limits);

  implement(routes, logout, ({ actor, write }) => write((tx) => endSession(tx, actor.tokenHash)));
}
