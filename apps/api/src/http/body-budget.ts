import { limits } from '@propusk/contract/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';

/**
 * Reserves memory for a body before it is read.
 * @throws AppError overloaded when the budget is exhausted; busy when the user has too many uploads at once
 */
export type BodyBudget = (request: FastifyRequest, reply: FastifyReply) => void;

const RETRY_SECONDS = 5;
/** At most this many large uploads of one user run at once. */
const OF_USER = 4;

/**
 * Limits the memory of request bodies during their upload. The api buffers a body until it is complete, and a client may
 * take 30 s for it. Bodies of up to `limits.smallBody` do not count, because the limit of connections bounds their memory.
 * @param most the limit of all large bodies together, in bytes
 */
export function bodyBudget(most: number): BodyBudget {
  let reserved = 0;
  // Grows with users who upload large bodies. Bound: `most` bytes in all large bodies. At the bound: 503 with Retry-After
  const ofUser = new Map<number, number>();
  return ({ headers, actor, raw }, reply) => {
    const chunked = headers['transfer-encoding'] !== undefined;
    const declared = chunked ? limits.body : Number(headers['content-length'] ?? 0);
    if (declared <= limits.smallBody) return;
    // The client disconnected during the token lookup, so the handler of 'close' would never run and release the bytes.
    if (raw.destroyed || reply.raw.closed) return;
    // A body never takes more than `limits.body`: Fastify refuses a larger `Content-Length`.
    const bytes = Math.min(declared, limits.body);
    const user = actor?.userId ?? 0;
    const mine = ofUser.get(user) ?? 0;
    if (mine >= OF_USER) throw new AppError('busy', { retryAfter: RETRY_SECONDS });
    if (reserved + bytes > most) throw new AppError('overloaded', { retryAfter: RETRY_SECONDS });
    reserved += bytes;
    ofUser.set(user, mine + 1);
    reply.raw.once('close', () => {
      reserved -= bytes;
      const left = (ofUser.get(user) ?? 1) - 1;
      if (left === 0) ofUser.delete(user);
      else ofUser.set(user, left);
    });
  };
}
