import { setImmediate as nextTurn } from 'node:timers/promises';
import { useLink } from '@propusk/contract/auth';
import { DEVICE_HEADER } from '@propusk/contract/endpoint';
import { issueMark } from '../accounts/device-mark.ts';
import { AppError } from '../core/errors.ts';
import { strangers } from '../core/fair-queue.ts';
import { implement, type Routes } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import { composeMail } from '../mail/compose-mail.ts';
import type { Mailer } from '../mail/mail.ts';
import { hashPassword } from '../passwords.ts';
import {
  addEmailLink,
  addPasswordLink,
  findLink,
  redeemEmailLink,
  redeemPasswordLink,
} from './link-store.ts';
import type { Links } from './links.ts';
import { proved } from './proof.ts';

/** `POST /auth/register`: one call for the four uses of links in mail. */
export function linkRoutes(
  routes: Routes,
  { limits, mailer, links }: { limits: Limits; mailer: Mailer; links: Links },
): void {
  const later = afterAnswer(routes);

  implement(routes, useLink, async ({ actor, body, address, device, db, write, header }) => {
    const { token, password, email, change, currentPassword } = body;
    const redeeming = <T>(redeem: () => Promise<T>) => limits.redeeming('mailLink', address, redeem);
    if (token !== undefined) {
      if (password === undefined) {
        const moved = await redeeming(() => write((tx) => redeemEmailLink(tx, token, address)));
        if (moved.from !== moved.to) mailer.send(composeMail(moved.from, 'email_changed', moved.to));
        return;
      }
      // Before the slow hash: a dead link costs nothing.
      await redeeming(() => findLink(db, 'password', token));
      const passwordHash = await hashPassword(password, strangers(address));
      const owner = await redeeming(() =>
        write((tx) => redeemPasswordLink(tx, token, passwordHash, address)),
      );
      // The link proves the account's owner: reset the failed attempts, which strangers may have caused.
      await limits.forgive(owner, address);
      // Strangers may exhaust the account's budget again; the mark gives this browser its own budget.
      header(DEVICE_HEADER, issueMark(routes.encryption, owner, passwordHash));
      return;
    }
    if (email === undefined) throw new AppError('bad_input');
    if (change === true) {
      if (actor === null || currentPassword === undefined) throw new AppError('unauthorized');
      // A new email leads to a new password: a stolen session alone must not reach it.
      const { encryption } = routes;
      await proved(
        { limits, encryption, db },
        { actor, body: { currentPassword }, device },
        async () => true,
      );
      await limits.countLink(email, address);
      const made = await write((tx) => addEmailLink(tx, actor, email));
      mailer.send(composeMail(email, 'email_link', links.token('email', made.token)));
      mailer.send(composeMail(made.email, 'email_change_begun', email, links.page('/auth/reset')));
      return;
    }
    await limits.countLink(email, address);
    // The response time must not reveal whether the account exists.
    later(async () => {
      const made = await write((tx) => addPasswordLink(tx, email));
      if (made !== null)
        mailer.send(composeMail(made.email, 'password_link', links.token('password', made.token)));
    });
  });
}

/** Links in creation at once; each waits for a database connection. */
const UNDER_WAY_MOST = 1_000;

/** Runs work after the reply; closing the server waits for it. @throws AppError busy at the limit */
function afterAnswer({ app }: Routes): (work: () => Promise<void>) => void {
  // grows: by strangers who request links; bound: 1,000 links in progress, about 1 MB; at the bound: 503 busy; test: none
  const underWay = new Set<Promise<void>>();
  app.addHook('onClose', async () => {
    await Promise.all(underWay);
  });
  return (work) => {
    if (underWay.size >= UNDER_WAY_MOST) throw new AppError('busy', { retryAfter: 1 });
    const working = nextTurn()
      .then(work)
      .catch((error: unknown) => app.log.error({ err: error }, 'failed to create a password link'))
      .finally(() => underWay.delete(working));
    underWay.add(working);
  };
}
