import { feed } from '@propusk/contract/feed';
import { AppError } from '../core/errors.ts';
import { routeOf } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { watchChanges } from './changes.ts';
import { createHub } from './hub.ts';

/** The calls of gateways: the stream of snapshots, and their records of access. */
export function feedRoutes(routes: Slice): void {
  const { app, db, encryption, opened, heartbeatMs } = routes;
  const hub = createHub({ db, log: app.log, encryption, heartbeatMs });
  let changes: { close(): Promise<void> } | undefined;
  app.addHook('onReady', async () => {
    changes = watchChanges({ opened, log: app.log }, hub);
  });
  app.addHook('preClose', async () => {
    hub.close();
    await changes?.close();
  });

  app.route({
    ...routeOf(routes, feed),
    // A HEAD would wait forever for the end of the stream.
    exposeHeadRoute: false,
    handler: (_request, reply) => {
      // A stream that begins during the shutdown would delay the shutdown.
      if (hub.isClosed()) throw new AppError('unavailable');
      reply.hijack();
      reply.raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        // No further request comes on this connection. Without this header, a shutdown would wait until the
        // connection counts as idle.
        connection: 'close',
      });
      reply.raw.flushHeaders();
      void hub.connect(reply.raw);
    },
  });
}
