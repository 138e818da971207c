import * as contract from '@propusk/contract/audit';
import { implement, type Routes } from '../http/implement.ts';
import { listAudit } from './store.ts';

export function auditRoutes(routes: Routes): void {
  implement(routes, contract.listAudit, ({ actor, query, db }) => listAudit(db, actor, query));
}
