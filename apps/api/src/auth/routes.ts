import { login, logout } from '@propusk/contract/auth';
import { DEVICE_HEADER } from '@propusk/contract/endpoint';
import { changeOwnPassword } from '@propusk/contract/users';
import { issueMark, readMark } from '../accounts/device-mark.ts';
import { findAccount, holdPassword, setOwnPassword } from '../accounts/store.ts';
import { AppError } from '../core/errors.ts';
import { signedIn } from '../core/fair-queue.ts';
import { implement, type Routes } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import type { Outbox } from '../mail/store.ts';
import type { Teller } from '../mail/tell-holder.ts';
import { factorRoutes } from './factor-routes.ts';
import { useCode } from './factor-store.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { linkRoutes } from './link-routes.ts';
import { createLinks } from './links.ts';
import { pairingRoutes } from './pairing-routes.ts';
import { proved } from './proof.ts';
import { type RegistrationPolicy, registrationRoutes } from './registration-routes.ts';
import { roleRoutes } from './role-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { endSession, openSession } from './store.ts';

/** Calls of sign-in, registration, links in mail and sessions (spec section 7). */
export function authRoutes(
  routes: Routes,
  {
    limits,
    outbox,
    teller,
    publicUrl,
    ...registration
  }: { limits: Limits; outbox: Outbox; teller: Teller; publicUrl: URL } & RegistrationPolicy,
): void {
  const parts = { outbox, links: createLinks(publicUrl) };
  const { encryption, passwords, db } = routes;
  const own = { limits, encryption, passwords, db };

  implement(routes, login, async ({ body, address, agent, device, db, write, header }) => {
    const { email, password, code, client } = body;
    const mark = readMark(routes.encryption, email, device);
    // Query before counting only for a mark with a valid signature.
    const marked = mark === null ? undefined : await findAccount(db, email);
    const isMarked = mark !== null && marked !== undefined && mark.isOf(marked.password_hash);
    let passwordRight = false;
    let token: string | null = null;
    // Password and code are one attempt: the code is checked after the password, and a wrong code counts.
    const attempt = { email, address, device: isMarked ? mark.id : undefined };
    await limits.checkPassword(attempt, async (lane) => {
      const account = await findAccount(db, email);
      passwordRight = await passwords.verify(password, account?.password_hash, lane);
      if (!passwordRight || account === undefined) return false;
      const enter = async () => {
        token = await write(async (tx) => {
          await holdPassword(tx, account);
          if (!(await useCode(tx, { userId: account.id, address }, routes.encryption, code))) return null;
          return openSession(tx, account.id, { client, address, agent });
        });
        if (token !== null) header(DEVICE_HEADER, issueMark(routes.encryption, email, account.password_hash));
        return token !== null;
      };
      return code === undefined ? enter() : limits.checkCode(account.id, enter);
    });
    if (token === null) throw new AppError(passwordRight ? 'wrong_code' : 'bad_login');
    return { token };
  });

  implement(routes, changeOwnPassword, async (call) => {
    const { actor, body, write, header } = call;
    const { email, password_hash } = await proved(own, call);
    const passwordHash = await passwords.hash(body.password, signedIn(actor.userId));
    await write((tx) => setOwnPassword(tx, actor, password_hash, passwordHash));
    header(DEVICE_HEADER, issueMark(routes.encryption, email, passwordHash));
  });

  registrationRoutes(routes, { ...parts, ...registration, limits });
  invitationRoutes(routes, { ...parts, limits, sendsMail: registration.sendsMail });
  linkRoutes(routes, { ...parts, limits });
  roleRoutes(routes, { ...parts, teller });
  pairingRoutes(routes, limits);
  sessionRoutes(routes);
  factorRoutes(routes, own, teller);

  implement(routes, logout, ({ actor, write }) => write((tx) => endSession(tx, actor)));
}
