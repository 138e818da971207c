import { randomBytes } from 'node:crypto';
import { parseSiteAddress } from '@propusk/access/site-address';
import type { CheckMessage, CheckStep } from '@propusk/phrases/checks';
import type { SiteVantage } from '../vantage/task-store.ts';
import type { StepResult } from './classify-response.ts';
import { type Connectivity, discountSilence } from './connectivity.ts';
import { type EgressResult, learnEgress } from './echo-client.ts';
import type { SiteProxy } from './egress-store.ts';
import { probeFromVantage, type SendPlan } from './from-vantage.ts';
import { type Ask, askBy, probePlace, type RequestStep } from './http-probe.ts';
import { listSteps } from './messages.ts';
import {
  namesOf,
  type OutsideStep,
  type PlannedStep,
  planEgress,
  planRequests,
  planVantage,
  type Resolved,
  type ThroughStep,
} from './plan.ts';
import {
  type ConnectionEnds,
  checkSelfEgress,
  confirmedBy,
  endsOf,
  familiesProvenBy,
} from './self-egress-check.ts';
import type { Outbound, Transport } from './transport.ts';
import { decideVerdict, type ProbeVerdict, type ProbingVantage } from './verdict.ts';

export interface ProbeOptions {
  /** The site's stored address. */
  readonly address: string;
  readonly proxies: readonly SiteProxy[];
  /** Whether another company holds a name on shared egress. */
  readonly isHeldByOther: (host: string) => Promise<boolean>;
  /** Called with the list of steps after every change of it. */
  readonly report: (steps: CheckStep[]) => void;
  /** Called with the result of each echo call. */
  readonly onEgress: (proxy: SiteProxy, result: EgressResult) => Promise<void>;
  /** The vantages that serve the site's company. */
  readonly vantages: readonly SiteVantage[];
  /** Gives a vantage a plan, and waits for its reports. */
  readonly send: (vantageId: number, plan: Parameters<SendPlan>[0]) => ReturnType<SendPlan>;
  /** Ends the probe without a verdict. */
  readonly stop: AbortSignal;
}

export interface ProbeResult extends ProbeVerdict {
  readonly steps: CheckStep[];
}

const PROBE_MS = 60_000;
/** No echo call starts later than this into the probe. */
const ECHO_MS = 25_000;
/** Places probed in parallel; the requests to one place are sequential. */
const PARALLEL = 4;

/**
 * Probes a site: from outside, directly from this machine, and through each proxy of its policies.
 * @throws the reason of `stop`
 */
export async function runProbe(
  { transport, echoUrl }: Outbound,
  { address, proxies, isHeldByOther, report, onEgress, vantages, send, stop }: ProbeOptions,
): Promise<ProbeResult> {
  const site = parseSiteAddress(address);
  if ('fault' in site) throw new Error(`not a stored address: ${address}`);
  let connectivity: Connectivity = { confirmed: [], failed: [] };
  const away = vantages.filter(({ present }) => !present).map(({ name }) => name);
  // grows: not, set once within one call
  let probing: ProbingVantage[] = [];
  const context = { egressKnown: false, insider: false, unfinished: false, held: false, connectivity, away };
  if (proxies.length === 0)
    return { ...decideVerdict([], { ...context, proxies: 0, vantages: [] }), steps: [] };

  const signals = { stop, deadline: AbortSignal.timeout(PROBE_MS) };
  const named = proxies.map(({ id, host, direct }) => ({ id, name: direct ? null : host }));
  const steps: PlannedStep[] = planEgress(named);
  // grows: not, lives for one call
  const results = new Map<PlannedStep, StepResult>();
  const list = () => {
    const discounted = discountSilence([...results.values()], connectivity, probing);
    return listSteps(steps, new Map(discounted.map((result) => [result.step, result])));
  };
  const settle = (result: StepResult) => {
    results.set(result.step, result);
    report(list());
  };
  const skip = (step: PlannedStep, detail: CheckMessage | null) =>
    settle({ step, finding: 'inconclusive', detail, cdn: null });
  report(list());

  const began = performance.now();
  const random = randomBytes(6).toString('hex');
  /** Connections to companies' proxies, which prove this machine's internet access. */
  // grows: not, lives for one call
  const connections: ConnectionEnds[] = [];
  const findEgress = async (proxy: SiteProxy, index: number) => {
    const step = steps[index];
    if (step === undefined) return proxy.addresses;
    if (performance.now() - began > ECHO_MS) {
      skip(step, { code: 'out_of_time' });
      return proxy.addresses;
    }
    const seen = await learnEgress(transport, proxy.route, echoUrl, stop, (connection) => {
      // Our own gateway may run on this machine and proves nothing.
      const ends = proxy.route?.kind === 'upstream' ? endsOf(connection) : null;
      if (ends !== null) connections.push(ends);
    });
    await onEgress(proxy, seen);
    if (seen.problem !== null && seen.addresses.length === 0) {
      skip(step, seen.problem);
      // Addresses of earlier calls may still be valid.
      return proxy.addresses;
    }
    const detail: CheckMessage = { code: 'addresses', params: { addresses: seen.addresses } };
    settle({ step, finding: 'open', detail, cdn: null });
    return seen.addresses;
  };
  const [addresses, self, names] = await Promise.all([
    inParallel([...proxies.entries()], ([index, proxy]) => findEgress(proxy, index)),
    checkSelfEgress(transport, echoUrl, stop),
    Promise.all(namesOf(site, random).map((name) => resolve(transport, name))),
  ]);
  const egress = [...new Set(addresses.flat())];
  const insider = self.own.some((own) => egress.includes(own));
  connectivity = {
    confirmed: [...self.confirmed, ...confirmedBy(connections, self)],
    failed: self.failed,
  };
  probing = vantages.filter(({ present }) => present).map((vantage) => probingVantage(vantage, egress));
  const witnesses = probing.filter((vantage) => !vantage.insider);
  const requests = planRequests({
    names,
    port: site.port,
    proxies: named,
    egress: egress[0] ?? null,
    random,
  });
  const direct = requests.filter((step): step is OutsideStep => 'address' in step);
  steps.push(...requests, ...probing.flatMap((vantage) => planVantage(direct, vantage)));
  const insiders = new Set<number | null>(probing.filter((vantage) => vantage.insider).map(({ id }) => id));
  if (insider) insiders.add(null);
  for (const step of steps) {
    if (step.kind === 'unresolved') skip(step, { code: 'unresolved' });
    else if (step.kind === 'address_refused') skip(step, { code: 'internal_address' });
    // With a witness, the requests that an insider does not send are no gap in the proof.
    else if ('address' in step && insiders.has(step.from))
      skip(step, witnesses.length === 0 ? { code: 'own_egress' } : null);
  }

  const outside = steps.filter((step): step is OutsideStep => 'address' in step && !results.has(step));
  const fromHere = outside.filter(({ from }) => from === null);
  const through = steps.filter((step): step is ThroughStep => step.kind === 'get');
  const host = through[0]?.host;
  // Companies share the proxies of the platform.
  const shared = new Set(proxies.filter(({ ownerId }) => ownerId === 0).map(({ id }) => id));
  const held = host !== undefined && shared.size > 0 && (await isHeldByOther(host));
  for (const step of held ? through : []) if (shared.has(step.proxyId)) skip(step, { code: 'held' });
  const askDirectly = askBy(transport, { kind: 'outside' }, signals);
  await Promise.all([
    inParallel(placesOf(fromHere), (group) => probePlace(askDirectly, group, signals, settle)),
    ...witnesses.map(async ({ id }) => {
      const own = outside.filter(({ from }) => from === id);
      const seen = await probeFromVantage(own, (plan) => send(id, plan));
      for (const place of placesOf(own)) await probePlace(answersOf(seen), place, signals, settle);
    }),
    inParallel(proxies, async ({ id, route }) => {
      const group = through.filter((step) => step.proxyId === id && !results.has(step));
      if (route !== null) await probePlace(askBy(transport, route, signals), group, signals, settle);
    }),
  ]);
  for (const step of through) if (!results.has(step)) skip(step, { code: 'proxy_unavailable' });
  const verdict = decideVerdict([...results.values()], {
    proxies: proxies.length,
    egressKnown: egress.length > 0,
    insider,
    unfinished: signals.deadline.aborted,
    held,
    connectivity,
    vantages: probing,
    away,
  });
  return { ...verdict, steps: list() };
}

const placesOf = (steps: readonly OutsideStep[]) => [
  ...Map.groupBy(steps, (step) => `${step.host} ${step.address}`).values(),
];

/** Answers each step with what a vantage reported for it. */
function answersOf(seen: ReadonlyMap<RequestStep, StepResult>): Ask {
  return async (step): Promise<StepResult> =>
    seen.get(step) ?? { step, finding: 'inconclusive', detail: { code: 'vantage_silent' }, cdn: null };
}

function probingVantage({ id, name, address }: SiteVantage, egress: readonly string[]): ProbingVantage {
  const confirmed = address === null ? [] : familiesProvenBy(address);
  const insider = address !== null && egress.includes(address);
  return { id, name, insider, connectivity: { confirmed, failed: [] } };
}

async function resolve(
  transport: Transport,
  { host, optional }: { host: string; optional: boolean },
): Promise<Resolved> {
  const addresses = await transport.resolve(host);
  const refused = addresses.find((address) => !transport.allowed(address)) ?? null;
  return { host, optional, addresses, refused };
}

/** Maps a list with at most `PARALLEL` calls at once. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, worker));
  return results;
}
