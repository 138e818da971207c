import type { FastifyRequest } from 'fastify';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { hashToken } from '../core/tokens.ts';
import type { Db } from '../db/open.ts';
import type { Load } from './batch-loader.ts';
import { noteSeen, type Session } from './sessions.ts';

/** The bearer token of a request (RFC 6750 section 2.1), or null. */
export function bearer(request: FastifyRequest): string | null {
  return /^Bearer ([A-Za-z0-9._~+/-]{1,512}=*)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

/**
 * Finds the actor of a token.
 * @throws AppError unauthorized when the session has ended or its user was deleted
 */
export async function findActor(
  { db, sessions }: { db: Db; sessions: Load<Session> },
  token: string | null,
  address: string,
): Promise<Actor> {
  const session = token === null ? undefined : await sessions(hashToken(token));
  if (session === undefined) throw new AppError('unauthorized');
  if (session.unseen) await noteSeen(db, session.holder);
  return { ...session.holder, address };
}
