import * as contract from '@propusk/contract/lock';
import { implement, type Routes } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import { findCheck, requestCheck } from './store.ts';

export interface CheckParts {
  readonly limits: Limits;
  /** Says that a probe waits to be run. */
  readonly wake: () => void;
}

/** The proof of a site's lock. */
export function checkRoutes(routes: Routes, { limits, wake }: CheckParts): void {
  implement(routes, contract.checkSite, async ({ actor, params, db, write }) => {
    // Before the count: what nobody may see must answer alike however often it is asked.
    await findCheck(db, actor, params.id);
    await limits.countProbe(actor.userId);
    const check = await write((tx) => requestCheck(tx, actor, params.id));
    wake();
    return check;
  });

  implement(routes, contract.getSiteCheck, ({ actor, params, db }) => findCheck(db, actor, params.id));
}
