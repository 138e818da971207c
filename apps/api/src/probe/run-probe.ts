import { randomBytes } from 'node:crypto';
import { parseSiteAddress } from '@propusk/access/site-address';
import type { ProbeStep } from '@propusk/contract/lock';
import type { StepResult } from './classify-response.ts';
import { type Connectivity, discountSilence } from './connectivity.ts';
import { type EgressResult, learnEgress } from './echo-client.ts';
import { passwordUnreadable, type SiteProxy } from './egress-store.ts';
import { probePlace } from './http-probe.ts';
import { OUT_OF_TIME, showSteps } from './messages.ts';
import {
  namesOf,
  type OutsideStep,
  type PlannedStep,
  planEgress,
  planRequests,
  type Resolved,
  type ThroughStep,
} from './plan.ts';
import { type ConnectionEnds, checkSelfEgress, confirmedBy, endsOf } from './self-egress-check.ts';
import type { Outbound, Transport } from './transport.ts';
import { decideVerdict, type ProbeVerdict } from './verdict.ts';

/** What a probe is given of its site, and whom it tells. */
export interface ProbeOptions {
  readonly address: string;
  readonly ways: readonly SiteProxy[];
  /** Whether another company holds a name on the egress that companies share. */
  readonly isHeldByOther: (host: string) => Promise<boolean>;
  /** Told of every change of the list of steps. */
  readonly report: (steps: ProbeStep[]) => void;
  /** Told of what the echo showed. */
  readonly learned: (way: SiteProxy, learned: EgressResult) => Promise<void>;
  /** Ends the probe without a verdict. */
  readonly stop: AbortSignal;
}

export interface ProbeResult extends ProbeVerdict {
  readonly steps: ProbeStep[];
}

const WHOLE_MS = 60_000;
/** What the echo is given of it. */
const LEARN_MS = 25_000;
/** Places that are asked at once; one place gets one request after another. */
const AT_ONCE = 4;

/**
 * Probes a site: as a stranger from this machine, and through each proxy of its policies.
 * @throws the signal's reason when it was stopped
 */
export async function runProbe(
  { transport, echoUrl }: Outbound,
  { address, ways, isHeldByOther, report, learned, stop }: ProbeOptions,
): Promise<ProbeResult> {
  const site = parseSiteAddress(address);
  if ('fault' in site) throw new Error(`not a stored address: ${address}`);
  const none = { egressKnown: false, insider: false, unfinished: false, held: false, vantage: nothingShown };
  if (ways.length === 0) return { ...decideVerdict([], { ...none, proxies: 0 }), steps: [] };

  const clock = { stop, deadline: AbortSignal.timeout(WHOLE_MS) };
  const proxies = ways.map(({ id, host, direct }) => ({ id, name: direct ? 'шлюз' : host }));
  const steps: PlannedStep[] = planEgress(proxies);
  // grows: not, it is filled within one call
  const taken = new Map<PlannedStep, StepResult>();
  let vantage: Connectivity = nothingShown;
  const show = () =>
    showSteps(steps, new Map(discountSilence([...taken.values()], vantage).map((one) => [one.step, one])));
  const settle = (one: StepResult) => {
    taken.set(one.step, one);
    report(show());
  };
  report(show());

  const began = performance.now();
  const random = randomBytes(6).toString('hex');
  const { watched, connections } = watchProxies(transport);
  const learn = async (way: SiteProxy, place: number) => {
    const step = steps[place];
    if (step === undefined) return way.addresses;
    if (performance.now() - began > LEARN_MS) {
      settle({ step, finding: 'untold', detail: OUT_OF_TIME, cdn: null });
      return way.addresses;
    }
    const seen = way.way === null ? passwordUnreadable : await learnEgress(watched, way.way, echoUrl, stop);
    await learned(way, seen);
    const detail = seen.problem ?? seen.addresses.join(', ');
    settle({ step, finding: seen.problem === null ? 'open' : 'untold', detail, cdn: null });
    // What was known before may still be so.
    return seen.problem === null ? seen.addresses : way.addresses;
  };
  const [known, lookout, names] = await Promise.all([
    inTurns([...ways.entries()], ([place, way]) => learn(way, place)),
    checkSelfEgress(transport, echoUrl, stop),
    Promise.all(namesOf(site, random).map((name) => resolve(transport, name))),
  ]);
  const egress = [...new Set(known.flat())];
  const insider = lookout.own.some((address) => egress.includes(address));
  vantage = { shown: [...lookout.shown, ...confirmedBy(connections, lookout)], failed: lookout.failed };
  steps.push(...planRequests({ names, port: site.port, proxies, egress: egress[0] ?? null, random }));
  for (const step of steps) {
    if (step.kind === 'unresolved' || step.kind === 'address_refused') {
      const detail = step.kind === 'unresolved' ? 'имя не найдено в DNS' : 'ведёт на внутренний адрес';
      settle({ step, finding: 'untold', detail, cdn: null });
    } else if (step.vantage === 'outside' && insider) {
      settle({ step, finding: 'untold', detail: 'проверка идёт с адреса выхода', cdn: null });
    }
  }

  const outside = steps.filter((step): step is OutsideStep => 'address' in step && !taken.has(step));
  const through = steps.filter((step): step is ThroughStep => step.kind === 'get');
  const main = through[0]?.host;
  // Proxies of the platform are the shared ones.
  const shared = new Set(ways.filter(({ ownerId }) => ownerId === 0).map(({ id }) => id));
  const held = main !== undefined && shared.size > 0 && (await isHeldByOther(main));
  for (const step of held ? through : []) {
    if (shared.has(step.proxyId))
      settle({ step, finding: 'untold', detail: 'закреплён за другой компанией', cdn: null });
  }
  await Promise.all([
    inTurns(
      grouped(outside, (step) => `${step.host} ${step.address}`),
      (group) => probePlace(transport, { kind: 'outside' }, group, clock, settle),
    ),
    inTurns(
      ways.flatMap(({ id, way }) =>
        way === null
          ? []
          : [{ way, group: through.filter((step) => step.proxyId === id && !taken.has(step)) }],
      ),
      ({ way, group }) => probePlace(transport, way, group, clock, settle),
    ),
  ]);
  for (const step of through) {
    if (!taken.has(step)) settle({ step, finding: 'untold', detail: 'прокси недоступен', cdn: null });
  }
  const unfinished = clock.deadline.aborted;
  const judgement = decideVerdict([...taken.values()], {
    proxies: ways.length,
    egressKnown: egress.length > 0,
    insider,
    unfinished,
    held,
    vantage,
  });
  return { ...judgement, steps: show() };
}

/** Before anything has come back. */
const nothingShown: Connectivity = { shown: [], failed: [] };

/** A way out that notes by which addresses companies' proxies were come to: that shows that this machine gets out. */
function watchProxies(transport: Transport): { watched: Transport; connections: readonly ConnectionEnds[] } {
  // grows: not, it is filled within one call
  const connections: ConnectionEnds[] = [];
  const watched: Transport = {
    ...transport,
    async openProxy(way, signal) {
      const connection = await transport.openProxy(way, signal);
      // Our gateway may stand on this machine.
      const ends = way.kind === 'upstream' ? endsOf(connection) : null;
      if (ends !== null) connections.push(ends);
      return connection;
    },
  };
  return { watched, connections };
}

async function resolve(
  transport: Transport,
  { host, optional }: { host: string; optional: boolean },
): Promise<Resolved> {
  const addresses = await transport.resolve(host);
  // One bad address spoils the name, as it does at the gateway.
  const refused = addresses.find((address) => !transport.allowed(address)) ?? null;
  return { host, optional, addresses, refused };
}

function grouped<T>(items: readonly T[], key: (item: T) => string): T[][] {
  return [...Map.groupBy(items, key).values()];
}

/** Does a list of work, some of it at a time. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [place, item] of left) results[place] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}
