import { stuckMail } from '@propusk/contract/mail';
import { implement, type Routes } from '../http/implement.ts';
import { findStuckMail } from './store.ts';

/** `GET /mail/stuck`: whether mail leaves, for the admins of the platform. */
export function mailRoutes(routes: Routes): void {
  implement(routes, stuckMail, ({ db }) => findStuckMail(db));
}
