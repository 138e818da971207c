import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IsoDate } from './fields.ts';

/**
 * The cause of a delivery failure. refused: nothing listens at the address. timeout: no answer in time. no_address: DNS has no
 * such name. tls: no encryption, or an untrusted certificate. login: the server refused user or password. rejected: the server
 * refused the mail. folder: the file could not be written. other: see the log.
 */
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

/** Mails that have waited longer than 10 minutes or failed three times, while their links still work. */
export const StuckMail = z.object({
  /** The number of stuck mails. */
  count: z.int(),
  /** The time when the oldest stuck mail was queued; null if no mail is stuck. */
  since: z.nullable(IsoDate),
  /** A recent delivery failure of a stuck mail; null if no delivery was attempted. */
  failure: z.nullable(MailFailure),
});
export type StuckMail = z.infer<typeof StuckMail>;

/** Get the number of mails that could not be sent yet. The reply names neither a recipient nor a link. */
export const stuckMail = endpoint('GET /mail/stuck', { access: ['ADMIN'], reply: StuckMail });
