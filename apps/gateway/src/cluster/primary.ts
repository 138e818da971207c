import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import { readCertificate } from '@propusk/certificate/certificate-files';
import { type AdminServer, startAdminServer } from '../admin-server.ts';
import type { Config } from '../config.ts';
import { startFeed } from '../feed.ts';
import { type BoundSocket, isFirst, SLOT_COUNT, SLOTS, type Slots, waitForFeed } from '../generation.ts';
import type { Log } from '../log.ts';
import { NODE_FLAGS } from '../node-flags.ts';
import { DRAIN_MS } from '../proxy-server.ts';
import type { Gateway } from '../server.ts';
import { openSnapshots, type Snapshots } from '../snapshot.ts';
import { createAggregateMetrics } from './aggregate-metrics.ts';
import { type FromWorker, type ToWorker, WORKER_INDEX } from './messages.ts';
import { createSlotPool } from './shared-limits.ts';

/**
 * The primary of a gateway with several processes (docs/decisions/013-gateway-processes.md):
 *
 *   feed ─> primary: the snapshots, their file, metrics ─┬─> worker ─┐
 *                                                       └─> worker ─┴─ one listening socket
 *
 * The primary accepts no client. It replaces a worker that dies and kills
 * a worker that does not answer, which ends that worker's connections.
 */

type Cluster = Omit<Gateway, 'index' | 'activeRequests' | 'stale'>;

/** A worker that does not answer for this time is killed: it must not resume with outdated policies. */
const HUNG_MS = 15_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** The minimum interval of relaying feed times. A worker that overestimates the snapshot's age denies earlier, which is safe. */
const CONTACT_MS = 200;

interface Member {
  readonly worker: Worker;
  /** A timer for each `enforce` message that the worker has not confirmed, by the number of the message. */
  readonly pending: Map<number, NodeJS.Timeout>;
  send(message: ToWorker): void;
}

/**
 * Creates a gateway of `config.processes` workers. It listens and connects after `listen()`.
 * @throws SettingError for a certificate that cannot be used
 */
export async function createCluster(config: Config, log: Log, slots: Slots): Promise<Cluster> {
  // Validate here: one error line instead of one for each worker.
  if (config.tls !== undefined) await readCertificate(config.tls);
  const keys = gatewayKeys(config.secret);
  const snapshots = openSnapshots(config, keys.snapshot, log, isFirst(slots) || slots.replaces);
  const feedLog = log.child({});
  // Grows with GATEWAY_PROCESSES. Bound: 64 processes. At the bound: does not grow
  const forked = new Set<Worker>();
  /** The workers that handle messages. */
  // Grows with GATEWAY_PROCESSES. Bound: 64 processes. At the bound: does not grow
  const members = new Map<number, Member>();
  const pool = createSlotPool(config.processes);
  const aggregate = createAggregateMetrics(() => [...members.values()]);
  // Bounded: filled once at startup
  const running: (() => unknown)[] = [];
  // Grows with workers that end. Bound: one timer for each of 64 processes. At the bound: does not grow
  const retries = new Set<NodeJS.Timeout>();
  running.push(() => retries.forEach((retry) => clearTimeout(retry)));
  const first = Promise.withResolvers<number>();
  let admin: AdminServer | null = null;
  /**
   * Each worker listens on a descriptor of its own, which node:cluster closes with the worker. The collection of the socket as garbage
   * would close whatever has its number then.
   */
  // Grows with workers that end. Bound: an empty object for each, within a process's life. At the bound: does not grow
  const sockets: (BoundSocket | undefined)[] = [];
  let bind: Parameters<Cluster['listen']>[0];
  let serving = 0;
  let [closing, stopping] = [false, false];
  const everyOther = Array.from({ length: SLOT_COUNT }, (_, slot) => slot).filter(
    (slot) => slot !== slots.own,
  );
  let turn = 0;
  let retryMs = FIRST_RETRY_MS;
  let relayedAt = 0;

  const broadcast = (message: ToWorker) => {
    for (const member of members.values()) member.send(message);
  };

  async function serve(member: Member): Promise<void> {
    try {
      const socket = await bind?.();
      sockets.push(socket);
      member.send(closing ? { type: 'close', deadlineMs: 0 } : { type: 'serve', fd: socket?.fd });
    } catch (error) {
      first.reject(error);
      member.worker.process.kill('SIGKILL');
    }
  }

  /** @param index of the worker, which names its folder of records @param taken the slots whose records it leaves alone */
  function fork(index: number, taken = slots.others): void {
    const worker = cluster.fork({
      [WORKER_INDEX]: String(index),
      ...(process.env[SLOTS] && { [SLOTS]: [slots.own, ...taken].join() }),
    });
    const { id } = worker;
    const born = performance.now();
    const member: Member = {
      worker,
      // Grows with changes of policies. Bound: one entry for each change that a worker has not confirmed. At the bound: a worker
      // that does not confirm in time is replaced
      pending: new Map(),
      // The callback ignores a closed channel: 'exit' reports a dead worker.
      send: (message) => void worker.send(message, () => {}),
    };
    let serves = false;
    forked.add(worker);

    worker.on('message', (message: FromWorker) => {
      switch (message.type) {
        case 'ready': {
          // The worker gets all snapshots, and every change from now on, before it accepts connections.
          const { companies, contact } = snapshots.present();
          for (const snapshot of companies) member.send({ type: 'company', snapshot });
          if (Number.isFinite(contact)) member.send({ type: 'contact', at: contact });
          members.set(id, member);
          void serve(member);
          break;
        }
        case 'serving':
          serves = true;
          serving += 1;
          log.info({ worker: id, pid: worker.process.pid, serving }, 'Worker serves');
          if (serving === config.processes) first.resolve(message.port);
          break;
        case 'failed':
          first.reject(Object.assign(new Error(message.message), { code: message.code }));
          worker.process.kill('SIGKILL');
          break;
        case 'enforced':
          clearTimeout(member.pending.get(message.turn));
          member.pending.delete(message.turn);
          break;
        case 'request': {
          const { name, most } = message;
          member.send({ type: 'granted', name, slots: pool.lend(id, name, most, message.slots) });
          break;
        }
        case 'giveBack':
          pool.giveBack(id, message.name, message.slots);
          break;
        case 'counted':
          aggregate.counted(id, message.turn, message.metrics);
          break;
      }
    });
    worker.on('exit', (code, signal) => {
      if (serves) serving -= 1;
      forked.delete(worker);
      members.delete(id);
      pool.forget(id);
      aggregate.gone(id);
      for (const hung of member.pending.values()) clearTimeout(hung);
      if (closing) return;
      log.error({ worker: id, code, signal }, 'Worker ended, starting another');
      if (performance.now() - born > LAST_RETRY_MS) retryMs = FIRST_RETRY_MS;
      const retry = setTimeout(() => {
        retries.delete(retry);
        // Other processes may have come since.
        fork(index, everyOther);
      }, retryMs);
      retries.add(retry);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    });
  }

  /** The snapshots, with every change relayed to the workers. */
  const relayed: Snapshots = {
    ...snapshots,
    put(snapshot, anyVersion) {
      if (!snapshots.put(snapshot, anyVersion)) return false;
      broadcast({ type: 'company', snapshot: JSON.stringify(snapshot) });
      return true;
    },
    drop(companyId) {
      if (!snapshots.drop(companyId)) return false;
      broadcast({ type: 'gone', companyId });
      return true;
    },
    contact() {
      snapshots.contact();
      const { contact } = snapshots.present();
      if (Math.abs(contact - relayedAt) < CONTACT_MS) return;
      relayedAt = contact;
      broadcast({ type: 'contact', at: contact });
    },
  };

  /** Has every worker authorize its active requests again. Kills a worker that does not confirm in time. */
  function enforce(): void {
    turn += 1;
    for (const member of members.values()) {
      const hung = setTimeout(() => {
        log.error({ worker: member.worker.id }, 'Worker does not answer, killing it');
        member.worker.process.kill('SIGKILL');
      }, HUNG_MS);
      member.pending.set(turn, hung);
      member.send({ type: 'enforce', turn });
    }
  }

  async function startAdmin(): Promise<void> {
    if (config.metricsPort === undefined) return;
    const options = {
      registry: aggregate.registry,
      snapshots,
      stopping: () => stopping,
      serving: () => serving > 0,
    };
    admin = await startAdminServer(options, config.metricsPort);
  }

  const allEnded = () =>
    Promise.all([...forked].map((worker) => new Promise((resolve) => worker.once('exit', resolve))));

  return {
    metricsPort: () => admin && admin.port,
    async listen(asks) {
      bind = asks;
      if (isFirst(slots)) await startAdmin();
      // The workers accept from one listening socket. Round robin would make the primary the bottleneck.
      cluster.schedulingPolicy = cluster.SCHED_NONE;
      cluster.setupPrimary({
        exec: fileURLToPath(import.meta.resolve('./worker.ts')),
        args: [],
        serialization: 'advanced',
        execArgv: [...process.execArgv, ...NODE_FLAGS],
      });
      const { mayAccept, ...awaited } = waitForFeed(slots);
      running.push(
        aggregate.stop,
        startFeed({
          apiUrl: config.apiUrl,
          key: keys.feed,
          log: feedLog,
          snapshots: relayed,
          recheck: enforce,
          end: (event) => broadcast({ type: 'end', event }),
          ...awaited,
        }),
      );
      await mayAccept;
      for (let i = 0; i < config.processes; i++) fork(i);
      return first.promise;
    },
    async own() {
      void snapshots.own();
      await startAdmin();
    },
    adopt: (slot) => broadcast({ type: 'adopt', slot }),
    async drain(released) {
      closing = true;
      const ended = allEnded();
      broadcast({ type: 'drain' });
      await admin?.stop();
      snapshots.close();
      released();
      await ended;
    },
    async close(deadlineMs = DRAIN_MS) {
      closing = true;
      stopping = true;
      // The api is often stopped at the same time: do not warn about a lost feed.
      feedLog.level = 'error';
      const ended = allEnded();
      broadcast({ type: 'close', deadlineMs });
      const late = setTimeout(() => {
        for (const worker of forked) worker.process.kill('SIGKILL');
      }, deadlineMs + 1_000);
      await ended;
      clearTimeout(late);
      for (const end of running.splice(0).toReversed()) await end();
      await admin?.stop();
      snapshots.close();
    },
  };
}
