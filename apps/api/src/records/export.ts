import { Readable } from 'node:stream';
import { exportVisits, type VisitFilter } from '@propusk/contract/records';
import type { FastifyRequest } from 'fastify';
import { admitTo, asMember } from '../core/actor.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';
import { bearer, findActor } from '../http/authenticate.ts';
import { type Routes, routeOf } from '../http/implement.ts';
import { readLines } from './log.ts';
import { recordLook } from './support.ts';

/** Rows of one statement. */
const PAGE = 1_000;
/** Exports of one process at once. Each keeps a connection of the pool and a part of the event loop busy. */
const AT_ONCE = 4;

/**
 * Registers the export of the access log. It reads a page once the client has taken the one before. Fastify answers an error of the
 * first page, and destroys the socket after a later one: the client sees a response without its last chunk.
 */
export function exportRoute(routes: Routes): void {
  const ofUser = createKeyedLimiter(1, 0);
  const ofAll = createKeyedLimiter(AT_ONCE, 0);
  const closing = new AbortController();
  // A slow client would delay the shutdown.
  routes.app.addHook('preClose', async () => closing.abort());

  async function* pagesOf(request: FastifyRequest): AsyncGenerator<string> {
    let before: string | undefined;
    do {
      // The session or the role may have ended since the last page.
      const actor = await findActor(routes, bearer(request), request.ip);
      admitTo(actor, exportVisits);
      const member = asMember(actor);
      const { companyId } = member;
      const query = { ...(request.query as VisitFilter), before, take: PAGE };
      const page = await routes.reads(member, exportVisits, (db) => readLines(db, { companyId }, query));
      if (before === undefined) await recordLook(routes.db, member, query.user);
      yield page.text;
      before = page.next ?? undefined;
    } while (before !== undefined);
  }

  routes.app.route({
    ...routeOf(routes, exportVisits),
    // A HEAD would read the whole log.
    exposeHeadRoute: false,
    handler: (request, reply) => {
      const pages = () => Readable.from(pagesOf(request), { signal: closing.signal });
      // A reply resolves at its end: until then the export counts.
      const send = async () => reply.type('application/x-ndjson').send(pages());
      return ofUser(request.actor?.userId ?? 0, () => ofAll(0, send));
    },
  });
}
