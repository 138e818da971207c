import { setImmediate as nextTurn } from 'node:timers/promises';
import { useLink } from '@propusk/contract/auth';
import { DEVICE_HEADER } from '@propusk/contract/endpoint';
import { AppError } from '../core/errors.ts';
import { strangers } from '../core/fair-queue.ts';
import { implement, type Routes } from '../http/implement.ts';
import { queueMail } from '../mail/store.ts';
import type { Slice } from '../slice.ts';
import { keyOf } from '../throttle/budgets.ts';
import { issueMark } from './device-mark.ts';
import {
  addEmailLink,
  addPasswordLink,
  findLink,
  redeemEmailLink,
  redeemPasswordLink,
} from './link-store.ts';
import { chargeLink } from './links.ts';
import { proved } from './proof.ts';
import { revealing } from './revealing.ts';

/** `POST /auth/register`: mails a link for a new password or a new email address, or redeems the mailed link. */
export function linkRoutes(routes: Slice): void {
  const { throttle, outbox, links } = routes;
  const later = afterAnswer(routes);

  implement(routes, useLink, async ({ actor, body, address, device, db, write, header }) => {
    const { token, password, email, change, currentPassword, name, surname } = body;
    const redeeming = <T>(redeem: () => Promise<T>) => throttle.redeeming('mailLink', address, redeem);
    if (token !== undefined) {
      if (password === undefined) {
        return redeeming(() =>
          write(async (tx) => {
            const { from, to } = await redeemEmailLink(tx, token, address);
            if (from === to) return;
            await queueMail(tx, outbox, { to: from, code: 'email_changed', facts: [to] }, null);
          }),
        );
      }
      // Check the link before hashing the password, so that an invalid link does not cause a slow hash.
      await redeeming(() => findLink(db, 'password', token));
      const passwordHash = await routes.passwords.hash(password, strangers(address));
      const owner = await redeeming(() =>
        write((tx) => redeemPasswordLink(tx, token, passwordHash, address, { email, name, surname })),
      );
      // The mailed link has authenticated the user. Reset the failed password attempts, because strangers may have caused them.
      await throttle.reset(
        keyOf('passwordPair', owner, address),
        keyOf('passwordAccount', owner),
        keyOf('ownPasswordAccount', owner),
      );
      // With the device mark, this browser has its own limit of wrong passwords, which strangers cannot exhaust.
      header(DEVICE_HEADER, issueMark(routes.encryption, owner, passwordHash));
      return;
    }
    if (email === undefined) throw new AppError('bad_input');
    if (change === true) {
      if (actor === null || currentPassword === undefined) throw new AppError('unauthorized');
      // Links that set a new password go to the email address, so a stolen session alone must not change this address.
      await proved(routes, { actor, body: { currentPassword }, device });
      await chargeLink(throttle, email, address);
      const begin = () =>
        write(async (tx) => {
          const made = await addEmailLink(tx, actor, email);
          const link = links.token('email', made.token);
          await queueMail(tx, outbox, { to: email, code: 'email_link', facts: [link] }, made.expiresAt);
          const facts = [email, links.page('/auth/reset')] as const;
          await queueMail(tx, outbox, { to: made.email, code: 'email_change_begun', facts }, null);
        });
      return revealing(routes, actor, [email], begin);
    }
    await chargeLink(throttle, email, address);
    // The response time must not reveal whether the account exists.
    later(() =>
      write(async (tx) => {
        const made = await addPasswordLink(tx, email);
        const facts = [links.token('password', made.token)] as const;
        // An unknown email gets an outbox row without a mail, so that known and unknown emails run the same statements.
        const mail = made.email === null ? null : ({ to: made.email, code: 'password_link', facts } as const);
        await queueMail(tx, outbox, mail, made.expiresAt);
      }),
    );
  });
}

/**
 * The maximum number of links that are created at the same time. A link is created after the reply is sent, and
 * waits for a database connection. Further requests get 503.
 */
const UNDER_WAY_MOST = 1_000;

/** Runs tasks after the reply. The server closes only after all tasks have ended. @throws AppError busy when 1,000 tasks run */
function afterAnswer({ app }: Routes): (work: () => Promise<void>) => void {
  // Grows with strangers who request links. Bound: 1,000 links in progress, about 1 MB. At the bound: 503 busy
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
