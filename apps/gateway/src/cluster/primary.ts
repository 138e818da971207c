import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { startAdminServer } from '../admin-server.ts';
import type { Config } from '../config.ts';
import { startFeed } from '../feed.ts';
import type { Log } from '../log.ts';
import { DRAIN_MS } from '../proxy-server.ts';
import { feedName, type Gateway } from '../server.ts';
import { openSnapshots, type Snapshots } from '../snapshot.ts';
import { readCertificate } from '../tls.ts';
import { createAggregateMetrics } from './aggregate-metrics.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { createSlotPool } from './shared-limits.ts';

/**
 * A gateway of several processes (docs/decisions/013-gateway-processes.md):
 *
 *   feed ─> primary: the snapshots, their file, acknowledgements, metrics ─┬─> worker ─┐
 *                                                                          └─> worker ─┴─ one listening socket
 *
 * The primary accepts nothing. A change is acknowledged when every worker enforces it; a worker that dies is replaced, and
 * one that does not answer is killed: what it carried ends with it.
 */

type Cluster = Pick<Gateway, 'listen' | 'close' | 'metricsPort'>;

/** A worker that says nothing for so long carries nothing either, and may never again. */
const HUNG_MS = 15_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** A contact is passed on no more often: what looks older than it is errs on the safe side. */
const CONTACT_MS = 200;

interface Member {
  readonly worker: Worker;
  /** What it has not said yet to be enforced, by turn. */
  readonly pending: Map<number, () => void>;
  say(message: ToWorker): void;
}

/**
 * Puts a gateway of `config.processes` workers together. Nothing listens or connects before `listen()`.
 * @throws SettingError for a certificate that cannot be used
 */
export async function createCluster(config: Config, log: Log): Promise<Cluster> {
  // Told here, in one line, and not by every worker.
  if (config.tls !== undefined) await readCertificate(config.tls);
  const keys = gatewayKeys(config.secret);
  const snapshots = await openSnapshots(config, keys.snapshot, log);
  const feedLog = log.child({});
  // grows: by GATEWAY_PROCESSES; bound: 64 processes; at the bound: does not grow; test: none
  const forked = new Set<Worker>();
  /** Those that listen to us. */
  // grows: by GATEWAY_PROCESSES; bound: 64 processes; at the bound: does not grow; test: none
  const members = new Map<number, Member>();
  const pool = createSlotPool(config.processes);
  const census = createAggregateMetrics(() => [...members.values()]);
  // grows: not, the program fills it as it starts
  const running: (() => unknown)[] = [];
  // grows: by workers that end; bound: one timer for each of 64 processes; at the bound: does not grow; test: none
  const retries = new Set<NodeJS.Timeout>();
  running.push(() => retries.forEach((retry) => clearTimeout(retry)));
  const first = Promise.withResolvers<number>();
  let metricsPort: number | null = null;
  let serving = 0;
  let closing = false;
  let turn = 0;
  let retryMs = FIRST_RETRY_MS;
  let passedOn = 0;

  const tellAll = (message: ToWorker) => {
    for (const member of members.values()) member.say(message);
  };
  const company = (snapshot: CompanySnapshot): ToWorker => ({
    type: 'company',
    snapshot: JSON.stringify(snapshot),
  });

  function fork(): void {
    const worker = cluster.fork();
    const { id } = worker;
    const born = performance.now();
    const member: Member = {
      worker,
      // grows: by changes of policies; bound: one entry for each change that a worker has not confirmed; at the
      // bound: a worker that does not confirm in time is replaced; test: none
      pending: new Map(),
      // One that is gone is heard of by 'exit'.
      say: (message) => void worker.send(message, () => {}),
    };
    let serves = false;
    forked.add(worker);

    worker.on('message', (message: FromWorker) => {
      switch (message.type) {
        case 'ready': {
          // All that is known, and from now on what changes, before it accepts anybody.
          const { companies, contact } = snapshots.present();
          for (const known of companies) member.say(company(known));
          if (Number.isFinite(contact)) member.say({ type: 'contact', at: contact });
          members.set(id, member);
          member.say(closing ? { type: 'close', deadlineMs: 0 } : { type: 'serve' });
          break;
        }
        case 'serving':
          serves = true;
          serving += 1;
          log.info({ worker: id, pid: worker.process.pid, serving }, 'A worker serves');
          if (serving === config.processes) first.resolve(message.port);
          break;
        case 'failed':
          first.reject(Object.assign(new Error(message.message), { code: message.code }));
          worker.process.kill('SIGKILL');
          break;
        case 'enforced':
          member.pending.get(message.turn)?.();
          member.pending.delete(message.turn);
          break;
        case 'request': {
          const { name, most } = message;
          member.say({ type: 'granted', name, slots: pool.lend(id, name, most, message.slots) });
          break;
        }
        case 'giveBack':
          pool.giveBack(id, message.name, message.slots);
          break;
        case 'counted':
          census.counted(id, message.turn, message.metrics);
          break;
      }
    });
    worker.on('exit', (code, signal) => {
      if (serves) serving -= 1;
      forked.delete(worker);
      members.delete(id);
      pool.forget(id);
      census.gone(id);
      // What it carried is over, so nothing of it is left to be enforced.
      for (const done of member.pending.values()) done();
      if (closing) return;
      log.error({ worker: id, code, signal }, 'A worker ended, starting another');
      if (performance.now() - born > LAST_RETRY_MS) retryMs = FIRST_RETRY_MS;
      const retry = setTimeout(() => {
        retries.delete(retry);
        fork();
      }, retryMs);
      retries.add(retry);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    });
  }

  /** The same snapshots, passed on to every worker. */
  const relayed: Snapshots = {
    ...snapshots,
    put(snapshot, anyVersion) {
      if (!snapshots.put(snapshot, anyVersion)) return false;
      tellAll(company(snapshot));
      return true;
    },
    drop(companyId) {
      if (!snapshots.drop(companyId)) return false;
      tellAll({ type: 'gone', companyId });
      return true;
    },
    contact() {
      snapshots.contact();
      const { contact } = snapshots.present();
      if (Math.abs(contact - passedOn) < CONTACT_MS) return;
      passedOn = contact;
      tellAll({ type: 'contact', at: contact });
    },
  };

  /** Has every worker judge all that is live again. @returns when all have */
  async function enforce(): Promise<void> {
    turn += 1;
    const mine = turn;
    await Promise.all(
      [...members.values()].map(
        (member) =>
          new Promise<void>((resolve) => {
            const hung = setTimeout(() => {
              log.error({ worker: member.worker.id }, 'A worker does not answer, ending it');
              member.worker.process.kill('SIGKILL');
            }, HUNG_MS);
            member.pending.set(mine, () => {
              clearTimeout(hung);
              resolve();
            });
            member.say({ type: 'enforce', turn: mine });
          }),
      ),
    );
  }

  return {
    metricsPort: () => metricsPort,
    async listen() {
      if (config.metricsPort !== undefined) {
        const observed = {
          registry: census.registry,
          snapshots,
          draining: () => closing,
          serving: () => serving > 0,
        };
        const observing = await startAdminServer(observed, config.metricsPort);
        metricsPort = observing.port;
        running.push(observing.stop);
      }
      // The workers accept from one socket. Passing connections on by turns would make the primary the limit.
      cluster.schedulingPolicy = cluster.SCHED_NONE;
      cluster.setupPrimary({
        exec: fileURLToPath(import.meta.resolve('./worker.ts')),
        args: [],
        serialization: 'advanced',
      });
      for (let i = 0; i < config.processes; i++) fork();
      const port = await first.promise;
      const options = { apiUrl: config.apiUrl, key: keys.feed, gateway: feedName(port), log: feedLog };
      running.push(census.stop, startFeed({ ...options, snapshots: relayed, recheck: enforce }));
      return port;
    },
    async close(deadlineMs = DRAIN_MS) {
      closing = true;
      // The api is often stopped together with us; that it is away no longer concerns anybody.
      feedLog.level = 'error';
      const ended = [...forked].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
      tellAll({ type: 'close', deadlineMs });
      const late = setTimeout(() => {
        for (const worker of forked) worker.process.kill('SIGKILL');
      }, deadlineMs + 1_000);
      await Promise.all(ended);
      clearTimeout(late);
      for (const end of running.splice(0).toReversed()) await end();
      await snapshots.close();
    },
  };
}
