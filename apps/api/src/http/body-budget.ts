import { limits } from '@propusk/contract/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';

/** Reserves memory for a body before it is read. @throws AppError overloaded, busy when too many large bodies are being read, in all or of one person */
export type BodyBudget = (request: FastifyRequest, reply: FastifyReply) => void;

const RETRY_SECONDS = 5;
/** Larger bodies of one person that are read at once. */
const OF_PERSON = 4;

/**
 * Bounds the memory of request bodies that are being read. A body waits in memory until it is whole, and a client may take
 * 30 s for it. Bodies of up to `limits.smallBody` are not counted: the number of connections bounds them.
 * @param most bytes of all larger bodies together
 */
export function bodyBudget(most: number): BodyBudget {
  let reserved = 0;
  // grows: by signed-in users, by bodies that are being read; bound: `most` bytes in all, 16 bytes for each body; at the
  // bound: 503 with Retry-After; test: apps/api/src/http/body-budget.net.test.ts
  const ofPerson = new Map<number, number>();
  return ({ headers, actor, raw }, reply) => {
    const chunked = headers['transfer-encoding'] !== undefined;
    const declared = chunked ? limits.body : Number(headers['content-length'] ?? 0);
    if (declared <= limits.smallBody) return;
    // The client left while its token was looked up: 'close' is over and would release nothing.
    if (raw.destroyed || reply.raw.closed) return;
    // A longer body is refused by its length.
    const bytes = Math.min(declared, limits.body);
    const person = actor?.userId ?? 0;
    const mine = ofPerson.get(person) ?? 0;
    if (mine >= OF_PERSON) throw new AppError('busy', { retryAfter: RETRY_SECONDS });
    if (reserved + bytes > most) throw new AppError('overloaded', { retryAfter: RETRY_SECONDS });
    reserved += bytes;
    ofPerson.set(person, mine + 1);
    reply.raw.once('close', () => {
      reserved -= bytes;
      const left = (ofPerson.get(person) ?? 1) - 1;
      if (left === 0) ofPerson.delete(person);
      else ofPerson.set(person, left);
    });
  };
}
