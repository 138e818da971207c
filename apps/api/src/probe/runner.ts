import { setTimeout as pause } from 'node:timers/promises';
import type { CheckStep } from '@propusk/phrases/checks';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../db/open.ts';
import type { Encryption } from '../encryption.ts';
import { readSiteVantages, runTask } from '../vantage/task-store.ts';
import { learnEgress } from './echo-client.ts';
import {
  claimStaleEgress,
  type ProbeProxy,
  readProbeProxy,
  readSiteProxies,
  saveEgress,
} from './egress-store.ts';
import type { Pace } from './pace.ts';
import { runProbe } from './run-probe.ts';
import {
  type ClaimedCheck,
  claimCheck,
  finishCheck,
  isCoveredElsewhere,
  isHeldByOther,
  queueDueChecks,
  readFingerprint,
  releaseCheck,
  saveSteps,
} from './store.ts';
import type { Outbound } from './transport.ts';

/** Runs the probes that wait in the database, both requested and scheduled ones. */
export interface ProbeRunner {
  /** Starts waiting probes now. */
  wake(): void;
  /** Runs the schedule once, as the timer does. */
  tick(): Promise<void>;
  /** Aborts running probes and puts them back into the queue. */
  close(): Promise<void>;
}

export interface ProbeRunnerParts {
  readonly db: Db;
  readonly encryption: Encryption;
  readonly log: FastifyBaseLogger;
  readonly outbound: Outbound;
  readonly pace: Pace;
}

/** Probes that one process runs at once. */
const PARALLEL = 4;
const TICK_MS = 30_000;
/** Limits of one tick. */
const MAX_SITES = 20;
const MAX_PROXIES = 5;
/** Minimal milliseconds between writes of a running probe's steps. */
const WRITE_MS = 200;

/** Starts the probe runner of this process. */
export function startProbeRunner({ db, encryption, log, outbound, pace }: ProbeRunnerParts): ProbeRunner {
  const closing = new AbortController();
  // grows: by owners who start probes; bound: 4 probes at once, about 1 MB; at the bound: further probes wait in the
  // table site_checks
  const tasks = new Set<Promise<void>>();
  let running = 0;
  let refreshing: Promise<void> | null = null;

  async function drain(): Promise<void> {
    while (!closing.signal.aborted) {
      const claimed = await claimCheck(db);
      if (claimed === null) return;
      await run(claimed);
    }
  }

  function wake(): void {
    if (running >= PARALLEL || closing.signal.aborted) return;
    running++;
    track(drain().finally(() => running--));
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!closing.signal.aborted) log.error({ err: error }, 'a probe failed');
      })
      .finally(() => tasks.delete(tracked));
    tasks.add(tracked);
  }

  async function run(claimed: ClaimedCheck): Promise<void> {
    const { companyId, siteId, address, startPaths, openPaths, sample } = claimed;
    // Aborted when another process claimed the probe or the site was deleted: this run must stop writing.
    const lost = new AbortController();
    const writer = createWriter(
      (steps) => saveSteps(db, claimed, steps),
      () => lost.abort(),
    );
    const stop = AbortSignal.any([closing.signal, lost.signal]);
    try {
      let before = claimed.fingerprint;
      const proxies = await readSiteProxies(db, encryption, { companyId, siteId });
      const result = await runProbe(outbound, {
        ...{ address, startPaths, openPaths, sample, proxies, pace },
        isHeldByOther: (host) => isHeldByOther(db, companyId, host),
        isCoveredElsewhere: (proxyId, host, port) => isCoveredElsewhere(db, claimed, { proxyId, host, port }),
        vantages: await readSiteVantages(db, companyId),
        send: (vantageId, plan) => runTask(db, vantageId, plan, stop),
        stop,
        report: writer.write,
        onEgress: async (proxy, seen) => {
          await db.transaction().execute((tx) => saveEgress(tx, proxy, seen));
          // New egress addresses change the fingerprint. The probe already takes them into account.
          before = (await readFingerprint(db, claimed))?.fingerprint ?? before;
        },
      });
      await writer.end();
      const facts = await readFingerprint(db, claimed);
      if (facts === null) return;
      const proxiesNow = await readSiteProxies(db, encryption, { companyId, siteId });
      const changed =
        facts.fingerprint !== before ||
        identify(proxiesNow) !== identify(proxies) ||
        JSON.stringify([facts.startPaths, facts.openPaths]) !== JSON.stringify([startPaths, openPaths]);
      await finishCheck(db, claimed, result, { ...facts, policyVersion: claimed.policyVersion }, changed);
    } catch (error) {
      await writer.end();
      if (lost.signal.aborted) return;
      // A failed probe stays claimed until its lease is over: an immediate retry would fail again.
      if (!closing.signal.aborted) throw error;
      await releaseCheck(db, claimed);
    }
  }

  async function tick(): Promise<void> {
    await queueDueChecks(db, MAX_SITES);
    for (let free = PARALLEL; free > 0; free--) wake();
    // With slow proxies, a refresh can take longer than TICK_MS. The next tick then awaits this refresh and starts no second one.
    refreshing ??= refreshEgress().finally(() => (refreshing = null));
    await refreshing;
  }

  async function refreshEgress(): Promise<void> {
    for (const id of await claimStaleEgress(db, MAX_PROXIES)) {
      const proxy = await readProbeProxy(db, encryption, id);
      if (proxy === null || closing.signal.aborted) continue;
      const { transport, echoUrl, turns } = outbound;
      // When the queue of the company is full, this request is skipped and the loop continues with the next proxy.
      const seen = await turns(proxy.ownerId, () =>
        learnEgress(transport, proxy.route, echoUrl, closing.signal),
      ).catch(() => null);
      if (seen !== null) await db.transaction().execute((tx) => saveEgress(tx, proxy, seen));
    }
  }

  const timer = setInterval(() => track(tick()), TICK_MS);
  timer.unref();
  // Resumes probes of a process that ended.
  wake();
  return {
    wake,
    tick,
    async close() {
      clearInterval(timer);
      closing.abort();
      await Promise.all(tasks);
    },
  };
}

/** The settings that calls through the proxies depend on. The fingerprint does not cover user names and passwords. */
const identify = (proxies: readonly ProbeProxy[]) =>
  JSON.stringify(proxies.map(({ id, route }) => [id, route]));

/** Saves the newest list of steps, one write at a time and at most one per `WRITE_MS`. */
function createWriter(save: (steps: CheckStep[]) => Promise<boolean>, lost: () => void) {
  let newest: CheckStep[] | null = null;
  let writing: Promise<void> | null = null;
  let ended = false;
  async function flush(): Promise<void> {
    const steps = newest;
    newest = null;
    if (steps === null || ended) {
      writing = null;
      return;
    }
    // The next write makes up for a failed one.
    if (!(await save(steps).catch(() => true))) lost();
    if (!ended) await pause(WRITE_MS, null, { ref: false });
    await flush();
  }
  return {
    write(steps: CheckStep[]): void {
      newest = steps;
      writing ??= flush();
    },
    async end(): Promise<void> {
      ended = true;
      await writing;
    },
  };
}
