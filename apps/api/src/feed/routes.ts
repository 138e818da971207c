import { feed } from '@propusk/contract/feed';
import { AppError } from '../core/errors.ts';
import { routeOf } from '../http/implement.ts';
import type { Slice } from '../slice.ts';
import { watchChanges } from './changes.ts';
import { createHub } from './hub.ts';

/** The route for gateways: the stream of snapshots of access rights. */
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
    // The route has no HEAD variant, because a HEAD request would wait forever for the end of the stream.
    exposeHeadRoute: false,
    handler: (_request, reply) => {
      // A feed stream that starts during a shutdown would delay the shutdown.
      if (hub.isClosed()) throw new AppError('unavailable');
      reply.hijack();
      reply.raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        // Without `connection: close`, a shutdown would wait until Node counts this connection as idle.
        connection: 'close',
      });
      reply.raw.flushHeaders();
      void hub.connect(reply.raw);
    },
  });
}
