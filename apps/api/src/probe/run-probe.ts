import { randomBytes } from 'node:crypto';
import { parseSiteAddress } from '@propusk/access/site-address';
import type { CheckMessage, CheckStep } from '@propusk/phrases/checks';
import { inParallel } from '../core/in-parallel.ts';
import type { runTask, SiteVantage } from '../vantage/task-store.ts';
import { type Finding, inconclusive, type StepResult } from './classify-response.ts';
import { type Connectivity, discountSilence } from './connectivity.ts';
import { type EgressResult, learnEgress } from './echo-client.ts';
import type { SiteProxy } from './egress-store.ts';
import { probeFromVantage } from './from-vantage.ts';
import { askDirectly, probePlace, worthMore } from './http-probe.ts';
import { isSample, listSteps } from './messages.ts';
import type { Pace } from './pace.ts';
import {
  forVantage,
  namesOf,
  type OutsideStep,
  type PlannedStep,
  placeOf,
  planEgress,
  planRequests,
  planSamples,
  planVantage,
  type Resolved,
  type ThroughStep,
} from './plan.ts';
import { MADE_UP, type Sample, samplesOf } from './sample.ts';
import {
  type ConnectionEnds,
  checkSelfEgress,
  confirmedBy,
  endsOf,
  familiesProvenBy,
} from './self-egress-check.ts';
import { createSiteReader, type ReaderChoice, type SiteContent } from './site-reader.ts';
import type { Outbound, Transport } from './transport.ts';
import { decideVerdict, noPolicy, type ProbeVerdict, type ProbingVantage } from './verdict.ts';

export interface ProbeOptions {
  /** The site's stored address. */
  readonly address: string;
  readonly startPaths: readonly string[];
  /** Paths that the owner leaves open to strangers. */
  readonly openPaths: readonly string[];
  /** The sample paths of the last probe; null if the pages of the site must be read again. */
  readonly sample: StoredSample | null;
  readonly proxies: readonly SiteProxy[];
  /** Whether every user who may access the site through the proxy may also access `host` and `port` through the same proxy. */
  readonly isCoveredElsewhere: (proxyId: number, host: string, port: number) => Promise<boolean>;
  /** Whether only another company may use a host on shared egress, because that company claimed the host first. */
  readonly isHeldByOther: (host: string) => Promise<boolean>;
  /** Called with all steps of the probe whenever a step changes. */
  readonly report: (steps: CheckStep[]) => void;
  /** Called with the result of each request to the echo endpoint. */
  readonly onEgress: (proxy: SiteProxy, result: EgressResult) => Promise<void>;
  /** The paired vantages of the site's company and of the platform. */
  readonly vantages: readonly SiteVantage[];
  /** Lets a vantage send groups of requests, and waits for its reports (`runTask`). */
  readonly send: (vantageId: number, groups: OutsideStep[][]) => ReturnType<typeof runTask>;
  /** Limits the rate of direct requests from this machine. */
  readonly pace: Pace;
  /** A signal that ends the probe without a verdict. */
  readonly stop: AbortSignal;
}

export interface ProbeResult extends ProbeVerdict {
  readonly steps: CheckStep[];
  /** The sample paths for the next probes; null while no probe has read the site's pages. */
  readonly sample: StoredSample | null;
}

/** The paths that a probe found in the pages of a site, stored for the next probes. */
export interface StoredSample extends SiteContent {
  /** When the pages of the site were read. */
  readonly readAt: string;
  /** Sample paths that one probe found open to strangers and no later probe found denied. */
  readonly open: readonly string[];
}

const PROBE_MS = 90_000;
const SAMPLE_DAYS = 7;
/** Requests to the echo endpoint start only within this time after the start of the probe. */
const ECHO_MS = 25_000;
/** At most this many addresses or proxies are probed in parallel. Requests to one address of a host name are sequential. */
const PARALLEL = 4;

/**
 * Probes a site: directly from this machine, from vantages, and through each proxy of its policies.
 * @throws the abort reason of the signal `stop`
 */
export async function runProbe(
  { transport, echoUrl }: Pick<Outbound, 'transport' | 'echoUrl'>,
  options: ProbeOptions,
): Promise<ProbeResult> {
  const { address, startPaths, openPaths, proxies, isHeldByOther, isCoveredElsewhere } = options;
  const { report, onEgress, vantages, send, pace, stop } = options;
  const echo = { transport, echoUrl, stop };
  const site = parseSiteAddress(address);
  if ('fault' in site) throw new Error(`not a stored address: ${address}`);
  if (proxies.length === 0) return { ...noPolicy, steps: [], sample: options.sample };
  let connectivity: Connectivity = { confirmed: [], failed: [] };
  const away = vantages.filter(({ present }) => !present).map(({ name }) => name);
  // Bounded: one entry for each vantage of the probe
  let probing: ProbingVantage[] = [];
  const signals = { stop, deadline: AbortSignal.timeout(PROBE_MS) };
  const named = proxies.map(({ id, host, direct }) => ({ id, name: direct ? null : host }));
  const steps: PlannedStep[] = planEgress(named);
  // Bounded: one result for each step of the probe
  const results = new Map<PlannedStep, StepResult>();
  const list = () => {
    const discounted = discountSilence([...results.values()], connectivity, probing);
    return listSteps(steps, new Map(discounted.map((result) => [result.step, result])));
  };
  const settle = (result: StepResult) => {
    const { step, finding } = result;
    const isAllowed = finding === 'open' && 'address' in step && openPaths.includes(step.path);
    results.set(step, isAllowed ? { ...result, finding: 'allowed' satisfies Finding } : result);
    report(list());
  };
  const findingOf = (step: PlannedStep): Finding => results.get(step)?.finding ?? 'inconclusive';
  const skip = (step: PlannedStep, detail: CheckMessage | null) => settle(inconclusive(step, detail));
  report(list());

  const began = performance.now();
  const random = randomBytes(6).toString('hex');
  /** Connections of this machine to upstream proxies, as evidence of internet access. */
  // Bounded: one connection for each upstream proxy of the site
  const connections: ConnectionEnds[] = [];
  // Bounded: one id for each proxy of the site
  const confirmedProxies: number[] = [];
  const findEgress = async (proxy: SiteProxy, index: number) => {
    const step = steps[index];
    if (step === undefined) return proxy.addresses;
    if (performance.now() - began > ECHO_MS) {
      skip(step, { code: 'out_of_time' });
      return proxy.addresses;
    }
    const seen = await learnEgress(echo, proxy.route, (connection) => {
      // A connection to our own gateway does not prove internet access, because the gateway may run on this machine.
      const ends = proxy.route?.kind === 'upstream' ? endsOf(connection) : null;
      if (ends !== null) connections.push(ends);
    });
    await onEgress(proxy, seen);
    if (seen.addresses.length > 0 && seen.addresses.every((one) => proxy.addresses.includes(one)))
      confirmedProxies.push(proxy.id);
    if (seen.problem !== null && seen.addresses.length === 0) {
      skip(step, seen.problem);
      // The echo request failed, so the probe uses the egress addresses that earlier probes found.
      return proxy.addresses;
    }
    const detail: CheckMessage = { code: 'addresses', params: { addresses: seen.addresses } };
    settle({ step, finding: 'open', detail, cdn: null });
    return seen.addresses;
  };
  const [addresses, self, names] = await Promise.all([
    inParallel(PARALLEL, [...proxies.entries()], ([index, proxy]) => findEgress(proxy, index)),
    checkSelfEgress(echo),
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
  const { port } = site;
  const [known = null] = egress;
  const requests = planRequests({ names, port, proxies: named, egress: known, random, startPaths });
  const direct = requests.filter((step): step is OutsideStep => 'address' in step);
  steps.push(...requests, ...probing.flatMap((vantage) => planVantage(direct, vantage)));
  const insiders = new Set<number | null>(probing.filter((vantage) => vantage.insider).map(({ id }) => id));
  if (insider) insiders.add(null);
  for (const step of steps) {
    if (step.kind === 'unresolved') skip(step, { code: 'unresolved' });
    else if (step.kind === 'address_refused') skip(step, { code: 'internal_address' });
    // The lock allows requests from these senders, so the probe skips the requests. The detail null hides the skipped steps
    // when a vantage that the lock denies sends the same requests.
    else if ('address' in step && insiders.has(step.from))
      skip(step, witnesses.length === 0 ? { code: 'own_egress' } : null);
  }

  const outside = steps.filter((step): step is OutsideStep => 'address' in step && !results.has(step));
  const fromHere = outside.filter(({ from }) => from === null);
  const through = steps.filter((step): step is ThroughStep => step.kind === 'get');
  const host = through[0]?.host;
  // The platform's proxies, which companies share.
  const shared = new Set(proxies.filter(({ ownerId }) => ownerId === 0).map(({ id }) => id));
  const held = host !== undefined && shared.size > 0 && (await isHeldByOther(host));
  for (const step of held ? through : []) if (shared.has(step.proxyId)) skip(step, { code: 'held' });
  const ask = askDirectly(transport, pace, signals);
  const probeHere = (group: readonly OutsideStep[]) => probePlace(ask, group, signals, settle);
  const choice: ReaderChoice = { chosen: null };
  const isHeldElsewhere = async (id: number, name: string) => shared.has(id) && (await isHeldByOther(name));
  const readers = new Map(
    proxies.flatMap(({ id, route }) => {
      if (route === null || (held && shared.has(id))) return [];
      const reader = createSiteReader({
        ...{ transport, route, site, openPaths, choice, signals },
        // On shared egress, `decide()` refuses a host that another company claimed first.
        isCoveredElsewhere: async (name, port) =>
          !(await isHeldElsewhere(id, name)) && isCoveredElsewhere(id, name, port),
        isHeld: async (name) => name !== host && isHeldElsewhere(id, name),
      });
      return [[id, reader] as const];
    }),
  );
  const stored = isFresh(options.sample) ? options.sample : null;
  const [content] = await Promise.all([
    inParallel(PARALLEL, proxies, async ({ id }) => {
      const reader = readers.get(id);
      const group = through.filter((step) => step.proxyId === id && !results.has(step));
      if (reader !== undefined) await probePlace(reader.open, group, signals, settle);
    }).then(() => stored ?? (choice.chosen ?? [...readers.values()][0])?.read() ?? null),
    inParallel(PARALLEL, placesOf(fromHere), probeHere),
  ]);
  const sample: StoredSample | null =
    content === null ? options.sample : { readAt: new Date().toISOString(), open: [], ...content };
  const wasOpen = options.sample?.open ?? [];
  const samples: Sample[] = [
    ...[...new Set([...openPaths, ...wasOpen])].map(
      (path): Sample => ({ path: path.replace(MADE_UP, random), kind: 'file' }),
    ),
    ...(sample === null ? [] : samplesOf(sample, random)),
  ];
  const firstPages = direct
    .filter((step) => step.kind === 'plain')
    .map((step) => ({ step, redirects: findingOf(step) === 'redirect' }));
  const closed = firstPages.filter(({ step }) => worthMore.has(findingOf(step)));
  const planned = planSamples(insiders.has(null) ? [] : closed, startPaths, samples, fromHere.length);
  // The site may answer a vantage differently than this machine, so vantages request sample paths at every address.
  const elsewhere = planSamples(firstPages, startPaths, samples, 0);
  /** Requests sample paths one by one. Stops after two responses with 429 or 503, because the site limits the rate. */
  const sampleInTurn = async (group: readonly OutsideStep[]) => {
    let limited = 0;
    for (const step of group) {
      if (limited > 1) {
        skip(step, null);
        continue;
      }
      const result = await ask(step);
      settle(result);
      if (result.detail?.code === 'answered' && [429, 503].includes(result.detail.params.status))
        limited += 1;
    }
  };
  const ofVantage = forVantage(elsewhere.steps);
  const ofVantages = witnesses.flatMap((vantage) => planVantage(ofVantage, vantage));
  steps.push(...planned.steps, ...ofVantages);
  await Promise.all([
    inParallel(PARALLEL, placesOf(planned.steps), sampleInTurn),
    ...witnesses.map(async ({ id }) => {
      const own = outside.filter(({ from }) => from === id);
      const extra = ofVantages.filter(({ from }) => from === id);
      const seen = await probeFromVantage([own, extra], (groups) => send(id, groups));
      const answer = async (step: OutsideStep) => answerOf(seen, step);
      // The time limit of the probe's own requests does not apply to the reports of a vantage.
      for (const place of placesOf(own)) await probePlace(answer, place, { deadline: stop }, settle);
      for (const step of extra) settle(sampleOf(step, seen, own, findingOf));
    }),
  ]);
  for (const step of through) if (!results.has(step)) skip(step, { code: 'proxy_unavailable' });
  const verdict = decideVerdict([...results.values()], {
    unfit:
      planned.unfit +
      (sample?.unread ?? 0) +
      (sample?.left ?? 0) +
      (insider ? elsewhere.steps.length - ofVantage.length : 0),
    emptySample: startPaths.length + (sample?.paths.length ?? 0) === 0,
    confirmedProxies,
    egressKnown: egress.length > 0,
    insider,
    unfinished: [...results.values()].some(
      ({ step, detail }) => step.kind !== 'egress' && detail?.code === 'out_of_time',
    ),
    held,
    failedPage: sample?.failed,
    connectivity,
    vantages: probing,
    away,
  });
  const found = (wanted: Finding) =>
    [...results.values()].flatMap(({ step, finding }) =>
      finding === wanted && isSample(step) && step.kind !== 'start'
        ? [step.path.replace(random, MADE_UP)]
        : [],
    );
  const denied = new Set(found('denied'));
  const open = new Set([...found('open'), ...wasOpen.filter((path) => !denied.has(path))]);
  const next = sample === null ? null : { ...sample, open: [...open].slice(0, MAX_OPEN) };
  return { ...verdict, steps: list(), sample: next };
}

/** At most this many open paths are requested again by the next probe. */
const MAX_OPEN = 8;

const isFresh = (sample: StoredSample | null): sample is StoredSample =>
  sample !== null &&
  sample.failed === undefined &&
  sample.paths.length > 0 &&
  Date.now() - Date.parse(sample.readAt) < SAMPLE_DAYS * 86_400_000;

const placesOf = (steps: readonly OutsideStep[]) => [
  ...Map.groupBy(steps, (step) => `${step.host} ${step.address}`).values(),
];

const answerOf = (seen: ReadonlyMap<OutsideStep, StepResult>, step: OutsideStep) =>
  seen.get(step) ?? inconclusive(step, { code: 'vantage_silent' });

/** The result of a vantage's request for a sample path; inconclusive unless the vantage found the first page closed. */
function sampleOf(
  step: OutsideStep,
  seen: ReadonlyMap<OutsideStep, StepResult>,
  own: readonly OutsideStep[],
  findingOf: (step: OutsideStep) => Finding,
): StepResult {
  const first = own.find((other) => other.kind === 'plain' && placeOf(other) === placeOf(step));
  const closed = first !== undefined && worthMore.has(findingOf(first));
  return closed ? answerOf(seen, step) : inconclusive(step, null);
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
