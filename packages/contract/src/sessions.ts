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
  reply: listOf(Session),
});

export const endSession = endpoint({
  method: 'DELETE',
  path: '/me/sessions/:id',
  access: 'signed-in',
  beforeFactor: true,
  params: IdParams,
  errors: ['not_found'],
});

export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/me/sessions',
  access: 'signed-in',
  beforeFactor: true,
});
