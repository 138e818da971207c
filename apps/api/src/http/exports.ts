import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Actor } from '../core/actor.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';

/**
 * The maximum numbers of open exports: in the process, per company and per user. Further exports get 503. While the client reads,
 * an export of the access log holds one page of up to 1 MB, and an export of a list holds a file of up to 8 MB. Neither holds a
 * database connection.
 */
const OPEN = { ofAll: 64, ofCompany: 8, ofUser: 1 };

/**
 * Runs an export, which counts as open until its response has ended.
 * @param send makes the reply; its signal ends the export on shutdown, because a slow client would delay the shutdown
 * @throws AppError busy
 */
export type Exports = (
  actor: Actor,
  send: (signal: AbortSignal) => Promise<FastifyReply>,
) => Promise<FastifyReply>;

/** Creates the limits of open exports of one api process. */
export function createExports(app: FastifyInstance): Exports {
  const ofUser = createKeyedLimiter(OPEN.ofUser, 0);
  const ofCompany = createKeyedLimiter(OPEN.ofCompany, 0);
  const ofAll = createKeyedLimiter(OPEN.ofAll, 0);
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  return ({ userId, companyId }, send) =>
    ofUser(userId, () => ofCompany(companyId ?? 0, () => ofAll(0, () => send(closing.signal))));
}
