import cluster from 'node:cluster';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { LIMITS } from '../concurrency-limits.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { createProxyServer } from '../proxy-server.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { createReplica } from './replica.ts';
import { createSharedLimits } from './shared-limits.ts';

/**
 * One of the processes that carry. It knows what the primary tells it and does nothing by itself: it accepts when told,
 * drains when told, and the end of the pipe is its own (node:cluster sees to that), so that nobody is let in by a worker
 * to which no revocation comes.
 */

const config = readConfig(process.env);
const log = createLog(config.logLevel).child({ worker: cluster.worker?.id });
const say = (message: FromWorker) => void process.send?.(message, undefined, undefined, () => {});
const replica = createReplica(config.snapshotMaxAgeMs);
const limits = createSharedLimits({
  limits: LIMITS,
  workers: config.processes,
  request: (name, most, wanted) => say({ type: 'request', name, most, slots: wanted }),
  giveBack: (name, some) => say({ type: 'giveBack', name, slots: some }),
});
const serving = await createProxyServer({
  config,
  keys: gatewayKeys(config.secret),
  snapshots: replica,
  limits,
  log,
});

// A terminal and a service manager send these to all of us: the primary tells what comes of them.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});

process.on('message', async (message: ToWorker) => {
  switch (message.type) {
    case 'company':
      replica.put(JSON.parse(message.snapshot));
      break;
    case 'gone':
      replica.drop(message.companyId);
      break;
    case 'contact':
      replica.contact(message.at);
      break;
    case 'enforce':
      serving.activeRequests.recheck();
      say({ type: 'enforced', turn: message.turn });
      break;
    case 'granted':
      limits.granted(message.name, message.slots);
      break;
    case 'count':
      say({
        type: 'counted',
        turn: message.turn,
        metrics: await serving.metrics.registry.getMetricsAsJSON(),
      });
      break;
    case 'serve':
      await serve();
      break;
    case 'close':
      await serving.close(message.deadlineMs);
      process.exit(0);
  }
});
say({ type: 'ready' });

async function serve(): Promise<void> {
  try {
    say({ type: 'serving', port: await serving.listen() });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    say({ type: 'failed', code, message });
  }
}
