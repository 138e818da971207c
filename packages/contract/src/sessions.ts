import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, IsoDate, listOf } from './fields.ts';

/** A session of a user. No reply contains its token. */
export const Session = z.object({
  id: Id,
  client: z.enum(['console', 'extension']),
  current: z.boolean(),
  createdAt: IsoDate,
  lastSeenAt: IsoDate,
  address: z.nullable(z.string()),
  agent: z.nullable(z.string()),
});
export type Session = z.infer<typeof Session>;

export const listSessions = endpoint({
  method: 'GET',
  path: '/me/sessions',
  access: 'signed-in',
  beforeFactor: true,
  summary: 'Where the caller is signed in: the session that asks, then the last seen first',
  description: 'The rows are the 100 that were seen last; `count` tells of all.',
  reply: listOf(Session),
});

export const endSession = endpoint({
  method: 'DELETE',
  path: '/me/sessions/:id',
  access: 'signed-in',
  beforeFactor: true,
  summary: 'End one of the own sessions',
  description:
    "With another session than the asking one the caller's gateway tokens and links in mail end: whoever held it may have them. To end the asking one is to sign out.",
  params: IdParams,
  errors: ['not_found'],
});

export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/me/sessions',
  access: 'signed-in',
  beforeFactor: true,
  summary: 'End all own sessions but the one that asks',
  description: "If there were any, the caller's gateway tokens and links in mail end with them.",
});
