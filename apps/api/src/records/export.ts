import { Readable } from 'node:stream';
import { exportVisits, Visit, type VisitFilter, type VisitPage } from '@propusk/contract/records';
import type { FastifyRequest } from 'fastify';
import { admitTo, asMember } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';
import { bearer, findActor } from '../http/authenticate.ts';
import { type Routes, routeOf } from '../http/implement.ts';
import { serialize } from '../http/replies.ts';
import { readVisits } from './log.ts';

/** Rows of one statement. */
const PAGE = 1_000;
/** Exports of one process at once. Each keeps one connection of the pool and a part of the event loop busy. */
const AT_ONCE = 4;

const lineOf = serialize({ schema: Visit, method: exportVisits.method, url: exportVisits.path });

/**
 * Registers the export of the access log: a stream of pages, each read once the client has taken the one before. An error after the
 * first page destroys the socket, so the client sees a response without its last chunk.
 */
export function exportRoute(routes: Routes): void {
  const ofUser = createKeyedLimiter(1, 0);
  const ofAll = createKeyedLimiter(AT_ONCE, 0);
  const closing = new AbortController();
  // A slow client would delay the shutdown.
  routes.app.addHook('preClose', async () => closing.abort());

  async function read(request: FastifyRequest, before?: string): Promise<VisitPage> {
    // The session or the role may have ended since the last page.
    const actor = await findActor(routes, bearer(request), request.ip);
    admitTo(actor, exportVisits);
    const { userId, companyId } = asMember(actor);
    const query = { ...(request.query as VisitFilter), before, take: PAGE };
    return routes.readsOfPerson(userId, () => readVisits(routes.db, { companyId }, query));
  }

  async function* linesOf(request: FastifyRequest, first: VisitPage): AsyncGenerator<string> {
    for (let page = first; ; ) {
      yield page.rows.map((row) => `${lineOf(row)}\n`).join('');
      if (page.next === null) return;
      page = await read(request, page.next);
    }
  }

  routes.app.route({
    ...routeOf(routes, exportVisits),
    // A HEAD would read the whole log.
    exposeHeadRoute: false,
    handler: (request, reply) =>
      ofUser(request.actor?.userId ?? 0, () =>
        ofAll(0, async () => {
          if (closing.signal.aborted) throw new AppError('unavailable');
          // Before the headers, so that a refused query gets its error reply.
          const first = await read(request);
          const stream = Readable.from(linesOf(request, first), { signal: closing.signal });
          // Resolves when the response has ended: until then the export counts.
          return reply.type('application/x-ndjson').send(stream);
        }),
      ),
  });
}
