import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { Backoff } from '@propusk/processes/backoff';
import { Child } from '@propusk/processes/child';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Snapshots } from '../policy/snapshot.ts';
import { DRAIN_MS, type ProxyServer } from '../proxy-server.ts';
import { createAggregateMetrics } from './aggregate-metrics.ts';
import { type BoundSocket, SLOT_COUNT, SLOTS, type Slots } from './generation.ts';
import { type FromWorker, type ToWorker, WORKER_INDEX } from './messages.ts';
import { NODE_FLAGS } from './node-flags.ts';
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

/** A worker that does not answer for this time is killed: it must not resume with outdated policies. */
const HUNG_MS = 15_000;
const LAST_RETRY_MS = 10_000;
/** The minimum interval of relaying feed times. A worker that overestimates the snapshot's age denies earlier, which is safe. */
const CONTACT_MS = 200;

interface Member {
  readonly id: number;
  readonly child: Child<ToWorker>;
  /** A ready worker handles messages. */
  state: 'starts' | 'ready' | 'serves';
  /** A timer for each `enforce` message that the worker has not confirmed, by the number of the message. */
  readonly pending: Map<number, NodeJS.Timeout>;
}

export interface Workers {
  readonly workers: ProxyServer;
  /** The snapshots, with every change relayed to the workers. */
  readonly snapshots: Snapshots;
}

/** Makes the `config.processes` workers of a gateway. They start at `listen()`. */
export function createWorkers(config: Config, snapshots: Snapshots, slots: Slots, log: Log): Workers {
  // Grows with GATEWAY_PROCESSES. Bound: 64 processes. At the bound: does not grow
  const members = new Set<Member>();
  const ready = () => [...members].filter(({ state }) => state !== 'starts');
  const serving = () => ready().filter(({ state }) => state === 'serves').length;
  const pool = createSlotPool(config.processes);
  const aggregate = createAggregateMetrics(ready);
  const first = Promise.withResolvers<number>();
  /**
   * Each worker listens on a descriptor of its own, which node:cluster closes with the worker. The objects of closed sockets are
   * kept, because the finalizer of such an object would close the file that has got the same descriptor number since.
   */
  // Grows with workers that end. Bound: an empty object for each, within a process's life. At the bound: does not grow
  const sockets: (BoundSocket | undefined)[] = [];
  let bind: Parameters<ProxyServer['listen']>[0];
  let [closing, stopping] = [false, false];
  const everyOther = [...Array(SLOT_COUNT).keys()].filter((slot) => slot !== slots.own);
  const pauses = new Backoff(100, LAST_RETRY_MS);
  let turn = 0;
  let relayedAt = 0;

  const broadcast = (message: ToWorker) => {
    for (const { child } of ready()) child.send(message);
  };

  async function serve(child: Member['child']): Promise<void> {
    try {
      const socket = await bind?.();
      sockets.push(socket);
      child.send(closing ? { type: 'close', deadlineMs: 0 } : { type: 'serve', fd: socket?.fd });
    } catch (error) {
      first.reject(error);
      child.kill();
    }
  }

  /**
   * @param index of the worker, which names its folder of records
   * @param taken the process slots that are in use, whose folders of records it does not read
   */
  function fork(index: number, taken = slots.others): void {
    const worker = cluster.fork({
      [WORKER_INDEX]: String(index),
      ...(process.env[SLOTS] && { [SLOTS]: [slots.own, ...taken].join() }),
    });
    const { id } = worker;
    const child = new Child<ToWorker>(worker.process);
    const born = performance.now();
    // Grows with changes of policies. Bound: one entry for each change that a worker has not confirmed. At the bound: a worker
    // that does not confirm in time is replaced
    const pending = new Map<number, NodeJS.Timeout>();
    const member: Member = { id, child, state: 'starts', pending };
    members.add(member);

    child.process.on('message', (message: FromWorker) => {
      switch (message.type) {
        case 'ready': {
          // The worker gets all snapshots, and every change from now on, before it accepts connections.
          const { companies, contact } = snapshots.present();
          for (const snapshot of companies) child.send({ type: 'company', snapshot });
          if (Number.isFinite(contact)) child.send({ type: 'contact', at: contact });
          if (!Number.isNaN(snapshots.now())) child.send(clock(snapshots.now()));
          member.state = 'ready';
          void serve(child);
          break;
        }
        case 'serving':
          member.state = 'serves';
          log.info({ worker: id, pid: child.process.pid, serving: serving() }, 'Worker serves');
          if (serving() === config.processes) first.resolve(message.port);
          break;
        case 'failed':
          first.reject(Object.assign(new Error(message.message), { code: message.code }));
          child.kill();
          break;
        case 'enforced':
          clearTimeout(pending.get(message.turn));
          pending.delete(message.turn);
          break;
        case 'request': {
          const { name, most } = message;
          child.send({ type: 'granted', name, slots: pool.lend(id, name, most, message.slots) });
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
    child.process.on('exit', (code, signal) => {
      members.delete(member);
      pool.forget(id);
      aggregate.gone(id);
      for (const hung of pending.values()) clearTimeout(hung);
      if (closing) return;
      log.error({ worker: id, code, signal }, 'Worker ended, starting another');
      if (performance.now() - born > LAST_RETRY_MS) pauses.reset();
      // The slots in use are listed anew: other processes may have started since this one.
      setTimeout(() => closing || fork(index, everyOther), pauses.next()).unref();
    });
  }

  const relayed: Snapshots = {
    ...snapshots,
    put(snapshot, text, anyVersion) {
      if (!snapshots.put(snapshot, text, anyVersion)) return false;
      broadcast({ type: 'company', snapshot: text });
      return true;
    },
    drop(companyId) {
      if (!snapshots.drop(companyId)) return false;
      broadcast({ type: 'gone', companyId });
      return true;
    },
    setClock(at) {
      snapshots.setClock(at);
      broadcast(clock(at));
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
    for (const { id, child, pending } of ready()) {
      const hung = setTimeout(() => {
        log.error({ worker: id }, 'Worker does not answer, killing it');
        child.kill();
      }, HUNG_MS);
      pending.set(turn, hung);
      child.send({ type: 'enforce', turn });
    }
  }

  const workers: ProxyServer = {
    activeRequests: { size: 0, recheck: enforce },
    records: { end: (event) => broadcast({ type: 'end', event }) },
    registry: aggregate.registry,
    serving: () => serving() > 0,
    stopping: () => stopping,
    async listen(asks) {
      bind = asks;
      // The workers accept from one listening socket. Round robin would make the primary the bottleneck.
      cluster.schedulingPolicy = cluster.SCHED_NONE;
      cluster.setupPrimary({
        exec: fileURLToPath(import.meta.resolve('./worker.ts')),
        args: [],
        serialization: 'advanced',
        execArgv: [...process.execArgv, ...NODE_FLAGS],
      });
      for (let i = 0; i < config.processes; i++) fork(i);
      return first.promise;
    },
    adopt: (slot) => broadcast({ type: 'adopt', slot }),
    async drain() {
      closing = true;
      broadcast({ type: 'drain' });
      await Promise.all([...members].map(({ child }) => child.ended));
    },
    async close(deadlineMs = DRAIN_MS) {
      [closing, stopping] = [true, true];
      broadcast({ type: 'close', deadlineMs });
      await Promise.all([...members].map(({ child }) => child.within(deadlineMs + 1_000, child.ended)));
      aggregate.stop();
    },
  };
  return { workers, snapshots: relayed };
}

/** The message may wait behind snapshots, so that it carries the moment at which it was sent. */
const clock = (at: number): ToWorker => ({ type: 'clock', at, steady: process.hrtime.bigint() });
