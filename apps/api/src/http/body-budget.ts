import { limits } from '@propusk/contract/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from './errors.ts';

/** Reserves memory for a body before it is read. @throws AppError overloaded when too many large bodies are being read */
export type BodyBudget = (request: FastifyRequest, reply: FastifyReply) => void;

const RETRY_SECONDS = 5;

/**
 * Bounds the memory of request bodies that are being read. A body waits in memory until it is whole, and a client may take
 * 30 s for it. Bodies of up to `limits.smallBody` are not counted: the number of connections bounds them.
 * @param most bytes of all larger bodies together
 */
export function bodyBudget(most: number): BodyBudget {
  let reserved = 0;
  return ({ headers }, reply) => {
    const chunked = headers['transfer-encoding'] !== undefined;
    const declared = chunked ? limits.body : Number(headers['content-length'] ?? 0);
    if (declared <= limits.smallBody) return;
    // A longer body is refused by its length.
    const bytes = Math.min(declared, limits.body);
    if (reserved + bytes > most) throw new AppError('overloaded', { retryAfter: RETRY_SECONDS });
    reserved += bytes;
    reply.raw.once('close', () => {
      reserved -= bytes;
    });
  };
}
