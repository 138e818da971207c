import { setTimeout as pause } from 'node:timers/promises';
import type { ProbeStep } from '@propusk/contract/lock';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../db/open.ts';
import type { Encryption } from '../encryption.ts';
import { learnEgress } from './echo-client.ts';
import {
  claimStaleEgress,
  type ProbeProxy,
  passwordUnreadable,
  readProbeProxy,
  readSiteProxies,
  saveEgress,
} from './egress-store.ts';
import { runProbe } from './run-probe.ts';
import {
  type ClaimedCheck,
  claimCheck,
  finishCheck,
  isHeldByOther,
  queueDueChecks,
  readFingerprint,
  releaseCheck,
  saveSteps,
} from './store.ts';
import type { Outbound } from './transport.ts';

/** Runs the probes that wait in the database: those that people asked for, and those that are due. */
export interface ProbeRunner {
  /** There may be something in line. */
  wake(): void;
  /** Looks for what is due, as the schedule does by itself. */
  tick(): Promise<void>;
  /** Ends what is under way and gives it back. */
  close(): Promise<void>;
}

export interface ProbeRunnerParts {
  readonly db: Db;
  readonly encryption: Encryption;
  readonly log: FastifyBaseLogger;
  readonly outbound: Outbound;
}

/** Probes that one process runs at once. */
const AT_ONCE = 4;
const TICK_MS = 30_000;
/** What one look puts in line. */
const MOST_SITES = 20;
const MOST_PROXIES = 5;
/** How often the steps of a running probe are written, at most. */
const WRITE_MS = 200;

/** Starts a process's share of the probing. */
export function startProbeRunner({ db, encryption, log, outbound }: ProbeRunnerParts): ProbeRunner {
  const closing = new AbortController();
  // grows: by owners who ask for probes; bound: 4 probes at once, about 1 MB; at the bound: further probes wait as
  // rows of site_checks; test: apps/api/src/probe/checks.db.test.ts
  const underWay = new Set<Promise<void>>();
  let running = 0;

  /** Takes one probe after another until none waits. */
  async function drain(): Promise<void> {
    while (!closing.signal.aborted) {
      const claimed = await claimCheck(db);
      if (claimed === null) return;
      await run(claimed);
    }
  }

  function wake(): void {
    if (running >= AT_ONCE || closing.signal.aborted) return;
    running++;
    track(drain().finally(() => running--));
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!closing.signal.aborted) log.error({ err: error }, 'a probe was not run');
      })
      .finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  }

  async function run(claimed: ClaimedCheck): Promise<void> {
    const { companyId, siteId, address } = claimed;
    // Taken by another process, or gone with its site: whoever runs it now is not to be written over.
    const lost = new AbortController();
    const writer = createWriter(
      (steps) => saveSteps(db, claimed, steps),
      () => lost.abort(),
    );
    const stop = AbortSignal.any([closing.signal, lost.signal]);
    try {
      let before = claimed.fingerprint;
      const ways = await readSiteProxies(db, encryption, { companyId, siteId });
      const result = await runProbe(outbound, {
        address,
        ways,
        isHeldByOther: (host) => isHeldByOther(db, companyId, host),
        stop,
        report: writer.write,
        learned: async (way, learned) => {
          await db.transaction().execute((tx) => saveEgress(tx, way, learned));
          // What the probe itself has found out is no change under its feet.
          before = (await readFingerprint(db, claimed))?.fingerprint ?? before;
        },
      });
      await writer.end();
      const facts = await readFingerprint(db, claimed);
      if (facts === null) return;
      const waysNow = await readSiteProxies(db, encryption, { companyId, siteId });
      const changed = facts.fingerprint !== before || spelled(waysNow) !== spelled(ways);
      await finishCheck(db, claimed, result, { ...facts, policyVersion: claimed.policyVersion }, changed);
    } catch (error) {
      await writer.end();
      if (lost.signal.aborted) return;
      await releaseOr(claimed, error);
    }
  }

  /** A probe that was stopped goes to the next process; one that failed waits until it is taken for dead. */
  async function releaseOr(claimed: ClaimedCheck, error: unknown): Promise<void> {
    if (!closing.signal.aborted) throw error;
    await releaseCheck(db, claimed);
  }

  async function tick(): Promise<void> {
    await queueDueChecks(db, MOST_SITES);
    for (let free = AT_ONCE; free > 0; free--) wake();
    for (const id of await claimStaleEgress(db, MOST_PROXIES)) {
      const proxy = await readProbeProxy(db, encryption, id);
      if (proxy === null || closing.signal.aborted) continue;
      const { transport, echoUrl } = outbound;
      const learned =
        proxy.way === null
          ? passwordUnreadable
          : await learnEgress(transport, proxy.way, echoUrl, closing.signal);
      await db.transaction().execute((tx) => saveEgress(tx, proxy, learned));
    }
  }

  const timer = setInterval(() => track(tick()), TICK_MS);
  timer.unref();
  // What a process that ended left behind.
  wake();
  return {
    wake,
    tick,
    async close() {
      clearInterval(timer);
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

/** The ways by which a site is reached, with all that their proxies are called by. */
function spelled(ways: readonly ProbeProxy[]): string {
  return JSON.stringify(
    ways.map(({ id, host, port, username, passwordSealed }) => [
      id,
      host,
      port,
      username,
      passwordSealed?.toString('base64') ?? null,
    ]),
  );
}

/** Writes the newest list of steps now and then, one write after another. */
function createWriter(save: (steps: ProbeStep[]) => Promise<boolean>, lost: () => void) {
  let newest: ProbeStep[] | null = null;
  let writing: Promise<void> | null = null;
  let ended = false;
  async function flush(): Promise<void> {
    const steps = newest;
    newest = null;
    if (steps === null || ended) {
      writing = null;
      return;
    }
    // A write that fails is made good by the next one.
    if (!(await save(steps).catch(() => true))) lost();
    if (!ended) await pause(WRITE_MS, null, { ref: false });
    await flush();
  }
  return {
    write(steps: ProbeStep[]): void {
      newest = steps;
      writing ??= flush();
    },
    async end(): Promise<void> {
      ended = true;
      await writing;
    },
  };
}
