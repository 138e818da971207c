import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { reported } from './extension.ts';
import { Id, IsoDate, listOf } from './fields.ts';

/** A session of the caller. Only the reply that opens the session contains the session's token. */
export const Session = z.object({
  id: Id,
  /** The client that the session belongs to: the console or the browser extension. */
  client: z.enum(['console', 'extension']),
  /** Whether this session made the call. */
  current: z.boolean(),
  /** The time of the sign-in. */
  createdAt: IsoDate,
  /** The time of the session's last call, to within five minutes. */
  lastSeenAt: IsoDate,
  /** The IP address of the sign-in; null when unknown. @example 203.0.113.5 */
  address: z.nullable(z.string()),
  /** Browser and system, from the sign-in's `User-Agent`; null when unknown. @example Firefox, Linux */
  agent: z.nullable(z.string()),
  ...reported,
});
export type Session = z.infer<typeof Session>;

/**
 * List the caller's sessions: first the current session, then the other sessions by the time of their last call. At most 100
 * rows; `count` is the number of all sessions.
 */
export const listSessions = endpoint('GET /me/sessions', {
  access: 'signed-in',
  beforeFactor: true,
  reply: listOf(Session),
});

/**
 * End one of the caller's sessions. Ending another session also revokes the caller's gateway tokens and mailed links, because
 * a thief may have used that session to fetch them. Ending the current session is a sign-out.
 */
export const endSession = endpoint('DELETE /me/sessions/:id', {
  access: 'signed-in',
  beforeFactor: true,
  errors: ['not_found'],
});

/**
 * End all of the caller's sessions except the current one. If the caller had other sessions, the call also revokes the caller's
 * gateway tokens and mailed links.
 */
export const endOtherSessions = endpoint('DELETE /me/sessions', { access: 'signed-in', beforeFactor: true });
