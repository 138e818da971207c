import { stuckMail } from '@propusk/contract/mail';
import { implement, type Routes } from '../http/implement.ts';
import { findStuckMail } from './store.ts';

/** `GET /mail/stuck`: the count and last failure of stuck mails, for platform admins. */
export function mailRoutes(routes: Routes): void {
  implement(routes, stuckMail, ({ db }) => findStuckMail(db));
}
