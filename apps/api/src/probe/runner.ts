import { setTimeout as pause } from 'node:timers/promises';
import type { CheckStep } from '@propusk/phrases/checks';
import type { FastifyBaseLogger } from 'fastify';
import { repeat, startWorkers, type Workers } from '../db/background.ts';
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

export interface ProbeRunnerParts {
  readonly db: Db;
  readonly encryption: Encryption;
  readonly log: FastifyBaseLogger;
  readonly outbound: Outbound;
  readonly pace: Pace;
}

/** At most this many probes run concurrently in one process. */
const PARALLEL = 4;
const TICK_MS = 30_000;
/** Every TICK_MS, probes of at most MAX_SITES sites are queued, and the egress of at most MAX_PROXIES proxies is updated. */
const MAX_SITES = 20;
const MAX_PROXIES = 5;
/** The minimum interval between writes of a running probe's steps. */
const WRITE_MS = 200;

/** Starts the workers of this process, which run the probes queued in the database. */
export function startProbeRunner({ db, encryption, log, outbound, pace }: ProbeRunnerParts): Workers {
  async function run(claimed: ClaimedCheck, closing: AbortSignal): Promise<void> {
    const { companyId, siteId, address, startPaths, openPaths, sample } = claimed;
    // This signal is aborted when another process has claimed the probe, or when the site was deleted.
    const lost = new AbortController();
    const writer = createWriter(
      (steps) => saveSteps(db, claimed, steps),
      () => lost.abort(),
    );
    const stop = AbortSignal.any([closing, lost.signal]);
    try {
      let before = claimed.fingerprint;
      const proxies = await readSiteProxies(db, encryption, { companyId, siteId });
      const result = await runProbe(outbound, {
        ...{ address, startPaths, openPaths, sample, proxies, pace },
        isHeldByOther: (host) => isHeldByOther(db, companyId, host),
        isCoveredElsewhere: (proxyId, host, port) => isCoveredElsewhere(db, claimed, { proxyId, host, port }),
        vantages: await readSiteVantages(db, companyId),
        send: (vantageId, groups) => runTask(db, vantageId, groups, stop),
        stop,
        report: writer.write,
        onEgress: async (proxy, seen) => {
          await db.transaction().execute((tx) => saveEgress(tx, proxy, seen));
          // The probe already uses the new egress address, so this address must not count as a change during the probe.
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
      // A failed probe stays claimed until its lease ends, because an immediate retry would fail again.
      if (!closing.aborted) throw error;
      await releaseCheck(db, claimed);
    }
  }

  async function refreshEgress(closing: AbortSignal): Promise<void> {
    for (const id of await claimStaleEgress(db, MAX_PROXIES)) {
      const proxy = await readProbeProxy(db, encryption, id);
      if (proxy === null || closing.aborted) continue;
      // When the queue of the company is full, `turns` throws, and the loop skips this proxy.
      const echo = { ...outbound, stop: closing };
      const seen = await outbound
        .turns(proxy.ownerId, () => learnEgress(echo, proxy.route))
        .catch(() => null);
      if (seen !== null) await db.transaction().execute((tx) => saveEgress(tx, proxy, seen));
    }
  }

  const onError = (err: unknown) => log.error({ err }, 'a probe failed');
  const probes = startWorkers({
    parallel: PARALLEL,
    ms: TICK_MS,
    poll: () => queueDueChecks(db, MAX_SITES),
    claim: () => claimCheck(db),
    work: run,
    onError,
  });
  const egress = repeat(TICK_MS, refreshEgress, onError);
  return {
    wake: probes.wake,
    tick: async () => void (await Promise.all([probes.tick(), egress.tick()])),
    close: async () => void (await Promise.all([probes.close(), egress.close()])),
  };
}

/** Serializes proxies to detect changed credentials, because the fingerprint of the probe's inputs contains no credentials. */
const identify = (proxies: readonly ProbeProxy[]) =>
  JSON.stringify(proxies.map(({ id, route }) => [id, route]));

/** Saves the newest list of steps, one write at a time and at most one per `WRITE_MS`. */
function createWriter(save: (steps: CheckStep[]) => Promise<boolean>, lost: () => void) {
  let newest: CheckStep[] | null = null;
  let writing: Promise<void> | null = null;
  const ended = new AbortController();
  async function flush(): Promise<void> {
    while (newest !== null && !ended.signal.aborted) {
      const steps = newest;
      newest = null;
      // A failed write is ignored, because the next write contains all steps.
      if (!(await save(steps).catch(() => true))) lost();
      if (!ended.signal.aborted) await pause(WRITE_MS, null, { ref: false });
    }
    writing = null;
  }
  return {
    write(steps: CheckStep[]): void {
      newest = steps;
      writing ??= flush();
    },
    async end(): Promise<void> {
      ended.abort();
      await writing;
    },
  };
}
