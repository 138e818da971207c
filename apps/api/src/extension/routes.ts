import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { remindOfExtension } from '@propusk/contract/bulk';
import { extensionBuilds, SignedBuilds } from '@propusk/contract/extension-builds';
import { asOwner } from '../core/actor.ts';
import { demandConfirmed } from '../db/company.ts';
import { rowOf } from '../http/error-reply.ts';
import { implement } from '../http/implement.ts';
import { queueMails } from '../mail/store.ts';
import type { Slice } from '../slice.ts';
import { scheduleInvitations } from '../throttle/invitation-days.ts';
import { lockUsers, reasonNotToRemind } from '../users/store.ts';

/** Routes of the browser extension: where it is installed from, and mails to users who lack it. */
export function extensionRoutes(routes: Slice): void {
  const { publicUrl, extensionDir, extensionStores: stores } = routes.config;

  implement(routes, extensionBuilds, async () => ({
    consoleUrl: publicUrl.origin,
    signed: await readBuilds(join(extensionDir, 'builds.json')),
    stores,
  }));

  implement(routes, remindOfExtension, ({ actor, body, write }) => {
    const owner = asOwner(actor);
    return write(async (tx) => {
      await demandConfirmed(tx, owner.companyId);
      const found = await lockUsers(tx, owner, body.ids, reasonNotToRemind);
      const budget = 'extensionReminder';
      const { due, refused } = await scheduleInvitations(tx, owner.companyId, found.users, 1, budget);
      const facts = [
        { company: due[0]?.company?.companyName ?? '', link: routes.links.page('/extension/pair') },
      ] as const;
      const mails = due.map(({ email: to, dueAt }) => {
        return { mail: { to, code: 'extension_reminder', facts }, expiresAt: null, dueAt } as const;
      });
      await queueMails(tx, routes.outbox, mails);
      const spent = refused.map(({ user: { id }, error }) => ({ id, error }));
      return {
        reminded: due.map(({ id }) => id),
        refused: [...found.refused, ...spent].map(rowOf),
      };
    });
  });
}

/** Reads the list of signed builds that `propusk extension` wrote; null if there is none or it is damaged. */
async function readBuilds(path: string): Promise<SignedBuilds | null> {
  try {
    return SignedBuilds.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
