import cluster from 'node:cluster';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { emptyIndex, putCompany, removeCompany } from '@propusk/access/snapshot';
import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { DatabaseClock } from '../policy/database-clock.ts';
import { createAge } from '../policy/snapshot-age.ts';
import { createProxyServer } from '../proxy-server.ts';
import { descriptorLimit, shareDescriptors } from './descriptors.ts';
import { slotsOf } from './generation.ts';
import { type FromWorker, type ToWorker, WORKER_INDEX } from './messages.ts';
import { createSharedLimits } from './shared-limits.ts';

/**
 * A worker: a process that serves clients. It starts and drains at the primary's command. It exits when the pipe to the primary
 * closes (node:cluster), so that no worker serves without receiving revocations.
 */

const config = readConfig(process.env);
const log = createLog(config.logLevel).child({ worker: cluster.worker?.id });
const send = (message: FromWorker) => void process.send?.(message, undefined, undefined, () => {});
const index = emptyIndex();
// The worker's own clocks: its snapshots become stale when the primary hangs.
const age = createAge(config.snapshotMaxAgeMs);
const clock = new DatabaseClock();
const shares = shareDescriptors(descriptorLimit(), config.sockets);
const limits = createSharedLimits(shares.limits, config.processes, send);
const serving = await createProxyServer({
  config,
  keys: gatewayKeys(config.secret),
  snapshots: { index, now: () => clock.now(), ...age },
  limits,
  shares,
  worker: Number(process.env[WORKER_INDEX]),
  slots: slotsOf(process.env),
  log,
});

// A terminal and a service manager signal the whole process group: only the primary handles signals.
for (const signal of ['SIGINT', 'SIGTERM', ...(config.accessLog === undefined ? [] : ['SIGHUP'])])
  process.on(signal, () => {});

process.on('message', async (message: ToWorker) => {
  switch (message.type) {
    case 'company':
      // Any version is accepted here, because the primary has compared the versions.
      putCompany(index, JSON.parse(message.snapshot), true);
      break;
    case 'gone':
      removeCompany(index, message.companyId);
      break;
    case 'contact':
      age.touch(message.at);
      break;
    case 'clock':
      clock.set(message.at + Number(process.hrtime.bigint() - message.steady) / 1e6);
      break;
    case 'enforce':
      serving.activeRequests.recheck(() => send({ type: 'enforced', turn: message.turn }));
      break;
    case 'end':
      serving.records.end(message.event);
      break;
    case 'granted':
      limits.granted(message.name, message.slots);
      break;
    case 'count':
      send({
        type: 'counted',
        turn: message.turn,
        metrics: await (await serving.registry()).getMetricsAsJSON(),
      });
      break;
    case 'serve':
      await serve(message.fd);
      break;
    case 'adopt':
      serving.adopt(message.slot);
      break;
    case 'drain':
      await serving.drain();
      await end(0);
      break;
    case 'close':
      await end(message.deadlineMs);
  }
});
send({ type: 'ready' });

async function serve(fd: number | undefined): Promise<void> {
  try {
    const bind = async () => (fd === undefined ? undefined : { fd });
    send({ type: 'serving', port: await serving.listen(bind) });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    send({ type: 'failed', code, message });
  }
}

let ending = false;
async function end(deadlineMs: number): Promise<void> {
  if (ending) return;
  ending = true;
  await serving.close(deadlineMs);
  process.exit(0);
}
