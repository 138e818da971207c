import { Readable } from 'node:stream';
import { exportVisits, type VisitFilter } from '@propusk/contract/records';
import type { FastifyRequest } from 'fastify';
import { type Actor, admitTo, asMember } from '../core/actor.ts';
import { bearer, findActor } from '../http/authenticate.ts';
import { asksCsv, companyOf, sendAs } from '../http/csv.ts';
import { type Routes, routeOf } from '../http/implement.ts';
import { csvHead, csvOf, fileNameOf } from './csv.ts';
import { readLines, withWords } from './log.ts';
import { recordExport } from './support.ts';

const PAGE_ROWS = 1_000;

/**
 * Registers the export of the access log: JSON lines, or CSV for `Accept: text/csv`. The export reads a page after the client has
 * taken the previous page. For an error on the first page, Fastify sends an error response. For an error on a later page, Fastify
 * destroys the socket, so the client sees a response without its last chunk.
 */
export function exportRoute(routes: Routes): void {
  async function* pagesOf(request: FastifyRequest, zone: string | null): AsyncGenerator<string> {
    let before: string | undefined;
    do {
      // Checks the caller's access before each page, because the session may have ended or the role may have changed.
      const actor = await findActor(routes, bearer(request), request.ip);
      admitTo(actor, exportVisits);
      const member = asMember(actor);
      const { companyId } = member;
      const query = { ...(request.query as VisitFilter), before, take: PAGE_ROWS };
      const page = await routes.reads(member, exportVisits, (db) =>
        readLines(db, { companyId }, query, zone === null ? undefined : withWords(zone)),
      );
      if (before === undefined) await recordExport(routes.db, member, query.user);
      if (zone === null) yield page.text;
      else yield (before === undefined ? csvHead : '') + csvOf(page.text);
      before = page.next ?? undefined;
    } while (before !== undefined);
  }

  routes.app.route({
    ...routeOf(routes, exportVisits),
    // Disables compression. Otherwise an error on the first page would be sent as plain JSON with the
    // Content-Encoding of the export.
    compress: false,
    // There is no HEAD route, because a HEAD request would read the whole log.
    exposeHeadRoute: false,
    handler: (request, reply) =>
      routes.exports(request.actor as Actor, async (signal) => {
        const { name, zone } = await companyOf(routes.db, asMember(request.actor as Actor));
        const isCsv = asksCsv(request);
        const file = `${fileNameOf(name, zone, request.query as VisitFilter)}.${isCsv ? 'csv' : 'jsonl'}`;
        // With highWaterMark 0, the stream reads a page only after the socket has taken the previous page.
        const pages = Readable.from(pagesOf(request, isCsv ? zone : null), { signal, highWaterMark: 0 });
        return sendAs(reply, file)
          .type(isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson')
          .send(pages);
      }),
  });
}
