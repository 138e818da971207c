import { stuckMail } from '@propusk/contract/mail';
import { implement, type Routes } from '../http/implement.ts';
import { findStuckMail } from './store.ts';

/** `GET /mail/stuck`: tells admins of the platform whether mails wait unsent. */
export function mailRoutes(routes: Routes): void {
  implement(routes, stuckMail, ({ db }) => findStuckMail(db));
}
