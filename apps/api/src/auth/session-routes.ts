import * as contract from '@propusk/contract/sessions';
import { implement, type Routes } from '../http/implement.ts';
import { endOneSession, endOtherSessions, listSessions } from './session-store.ts';

/** Lists and ends sessions of the caller. */
export function sessionRoutes(routes: Routes): void {
  implement(routes, contract.listSessions, ({ actor, db }) => listSessions(db, actor));

  implement(routes, contract.endSession, ({ actor, params, write }) =>
    write((tx) => endOneSession(tx, actor, params.id)),
  );

  implement(routes, contract.endOtherSessions, ({ actor, write }) =>
    write((tx) => endOtherSessions(tx, actor)),
  );
}
