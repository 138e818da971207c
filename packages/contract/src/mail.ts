import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IsoDate } from './fields.ts';

/** Why the last attempt to send a mail failed; the OpenAPI document explains each value. */
export const MailFailure = z.enum([
  'refused',
  'timeout',
  'no_address',
  'tls',
  'login',
  'rejected',
  'folder',
  'other',
]);
export type MailFailure = z.infer<typeof MailFailure>;

/** Mails that wait longer than 10 minutes, or failed three times, and whose links still work. */
export const StuckMail = z.object({
  count: z.int(),
  /** When the oldest of them was queued; null without any. */
  since: z.nullable(IsoDate),
  /** A recent failure of one of them; null where no attempt was made. */
  failure: z.nullable(MailFailure),
});
export type StuckMail = z.infer<typeof StuckMail>;

export const stuckMail = endpoint({
  method: 'GET',
  path: '/mail/stuck',
  access: ['ADMIN'],
  reply: StuckMail,
});
