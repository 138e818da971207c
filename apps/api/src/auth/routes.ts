import { login, logout, register } from '@propusk/contract/auth';
import { AppError } from '../http/errors.ts';
import { implement, type Routes } from '../http/implement.ts';
import { hashPassword, verifyPassword } from '../passwords.ts';
import { type LinkParts, linkRoutes } from './link-routes.ts';
import { pairingRoutes } from './pairing-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { endSession, findAccount, openSession, registerCompany, signIn } from './store.ts';

/** Spec section 7: signing in and out, registration, links in mail; and where one is signed in. */
export function authRoutes(routes: Routes, parts: LinkParts): void {
  const { limits } = parts;

  implement(routes, login, async ({ body, address, agent, db, write }) => {
    let account: Awaited<ReturnType<typeof findAccount>>;
    const right = await limits.checkPassword(body.email, address, async () => {
      account = await findAccount(db, body.email);
      return verifyPassword(body.password, account?.password_hash);
    });
    const found = right ? account : undefined;
    if (found === undefined) throw new AppError('bad_login');
    return { token: await write((tx) => signIn(tx, found, { client: body.client, address, agent })) };
  });

  implement(routes, register, async ({ body, address, agent, write }) => {
    await limits.countRegistration(address);
    const passwordHash = await hashPassword(body.password);
    return {
      token: await write(async (tx) => {
        const owner = await registerCompany(tx, body, passwordHash);
        return openSession(tx, owner, { address, agent });
      }),
    };
  });

  linkRoutes(routes, parts);
  pairingRoutes(routes, limits);
  sessionRoutes(routes);

  implement(routes, logout, ({ actor, write }) => write((tx) => endSession(tx, actor.tokenHash)));
}
