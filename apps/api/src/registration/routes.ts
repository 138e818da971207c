import { DEVICE_HEADER } from '@propusk/contract/endpoint';
import * as contract from '@propusk/contract/registration';
import { register } from '@propusk/contract/registration';
import { asMember } from '../core/actor.ts';
import { strangers } from '../core/fair-queue.ts';
import type { Tx } from '../db/open.ts';
import { implement } from '../http/implement.ts';
import { findOwnAccount } from '../identity/account-store.ts';
import { issueMark } from '../identity/device-mark.ts';
import { addConfirmationLink, addLink } from '../identity/link-store.ts';
import { chargeLink } from '../identity/links.ts';
import { openSession, registerCompany } from '../identity/store.ts';
import { queueMail } from '../mail/store.ts';
import type { Slice } from '../slice.ts';
import { keyOf } from '../throttle/budgets.ts';
import {
  addInvitation,
  admitRegistration,
  listInvitations,
  precheckRegistration,
  readInvitation,
  readMode,
  withdrawInvitation,
} from './store.ts';

/** Routes to register a company, with or without an invitation, and to confirm a company's email address. */
export function registrationRoutes(routes: Slice): void {
  const { throttle, outbox, links } = routes;
  const { registration: rule, confirmsMail, smtpUrl } = routes.config;
  const queueConfirmation = (tx: Tx, to: string, made: { token: string; expiresAt: string }) => {
    const facts = [links.token('confirm', made.token)] as const;
    return queueMail(tx, outbox, { to, code: 'company_confirmation', facts }, made.expiresAt);
  };

  implement(routes, contract.registrationMode, async ({ db }) => ({
    mode: await readMode(db, rule),
    mailed: smtpUrl !== undefined,
  }));

  implement(routes, register, async ({ body, address, agent, db, write, header }) => {
    const invited = body.invitation !== undefined;
    const registering = async () => {
      await precheckRegistration(db, rule, body);
      if (!invited)
        await throttle.begin({ lane: strangers(address), keys: [keyOf('registration', address)] });
      const unproved = confirmsMail && !invited;
      if (unproved) await chargeLink(throttle, body.email, address);
      const passwordHash = await routes.passwords.hash(body.password, strangers(address));
      const token = await write(async (tx) => {
        await admitRegistration(tx, rule, body);
        const owner = await registerCompany(tx, body, { passwordHash, address, confirmed: !unproved });
        if (unproved) await queueConfirmation(tx, body.email, await addLink(tx, owner, body.email));
        return openSession(tx, owner, { address, agent });
      });
      return { token, passwordHash };
    };
    const { token, passwordHash } = await throttle.redeeming('invitation', address, registering);
    header(DEVICE_HEADER, issueMark(routes.encryption, body.email, passwordHash));
    return { token };
  });

  implement(routes, contract.inviteCompany, ({ actor, body: { email }, write }) =>
    write(async (tx) => {
      const { token, expiresAt } = await addInvitation(tx, rule, actor, email);
      const link = links.invitation(token, email);
      await queueMail(tx, outbox, { to: email, code: 'company_invitation', facts: [link] }, expiresAt);
      return { email, link, expiresAt, mailed: smtpUrl !== undefined };
    }),
  );

  implement(routes, contract.listInvitations, ({ query, db }) => listInvitations(db, query));

  implement(routes, contract.withdrawInvitation, ({ actor, params, write }) =>
    write((tx) => withdrawInvitation(tx, actor, params.id)),
  );

  implement(routes, contract.openInvitation, ({ body, address, db }) =>
    throttle.redeeming('invitation', address, () => readInvitation(db, body.token)),
  );

  implement(routes, contract.sendCompanyConfirmation, async ({ actor, address, db, write }) => {
    const { email } = await findOwnAccount(db, actor);
    await chargeLink(throttle, email, address);
    return write(async (tx) => {
      const made = await addConfirmationLink(tx, asMember(actor));
      await queueConfirmation(tx, made.email, made);
    });
  });
}
