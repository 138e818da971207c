import type { StepResult } from './classify-response.ts';
import {
  cdnOf,
  classifyConnectError,
  classifyFailure,
  classifyOutside,
  classifyThrough,
  type Finding,
} from './classify-response.ts';
import { ConnectError } from './connect-error.ts';
import { getOver } from './http-get.ts';
import { NEEDLESS, OUT_OF_TIME, sayAnswer, sayUnreached } from './messages.ts';
import type { OutsideStep, Scheme, ThroughStep } from './plan.ts';
import type { Route, Transport } from './transport.ts';

type Request = OutsideStep | ThroughStep;

/** The time that all requests of a probe share, and what ends it before. */
export interface Deadlines {
  readonly stop: AbortSignal;
  readonly deadline: AbortSignal;
}

const STEP_MS = 10_000;
/** After these a place is asked for the rest: it takes connections, and may answer otherwise elsewhere. */
const goesOn: ReadonlySet<Finding> = new Set(['shut', 'redirect', 'dropped']);
/** No connection came up. */
const noConnection: ReadonlySet<Finding> = new Set(['silent', 'refused', 'unsent']);

/**
 * Asks a place for all that is planned there, one request after another.
 * @param steps to one host by one way: of https, then of http
 * @throws the reason of `clock.stop`
 */
export async function probePlace(
  transport: Transport,
  way: Route,
  steps: readonly Request[],
  clock: Deadlines,
  settle: (one: StepResult) => void,
): Promise<void> {
  const onePort = new Set(steps.map(({ port }) => port)).size === 1;
  const skipped: Partial<Record<Scheme, string>> = {};
  for (const step of steps) {
    const first = isFirst(step);
    const why = clock.deadline.aborted ? OUT_OF_TIME : skipped[step.scheme];
    if (why !== undefined) {
      settle({
        step,
        finding: 'untold',
        detail: first || clock.deadline.aborted ? why : NEEDLESS,
        cdn: null,
      });
      continue;
    }
    const one = await ask(transport, way, step, clock);
    // A port that a site names speaks one of the two: which, the first request to it tells.
    const plainPort = first && onePort && one.finding === 'no_tls';
    settle(plainPort ? { ...one, finding: 'untold', detail: 'порт не говорит по TLS' } : one);
    if (!first) continue;
    if (!goesOn.has(one.finding)) skipped[step.scheme] = NEEDLESS;
    if (onePort && step.scheme === 'https' && !plainPort) {
      skipped.http = noConnection.has(one.finding) ? one.detail : 'порт говорит по TLS';
    }
  }
}

const isFirst = ({ kind }: Request) => kind === 'plain' || kind === 'get';

async function ask(
  transport: Transport,
  way: Route,
  step: Request,
  { stop, deadline }: Deadlines,
): Promise<StepResult> {
  const { host, port, scheme } = step;
  const outside = step.vantage === 'outside';
  const asked = {
    host,
    port,
    ...(outside && { headers: step.headers }),
    path: outside ? step.path : '/',
    tls: scheme === 'https',
    // Its fault is told, and no more: whoever the site turns away, it turns away under any certificate.
    verify: false,
    bodyLimit: 0,
  };
  const signal = AbortSignal.any([stop, deadline, AbortSignal.timeout(STEP_MS)]);
  let connected = false;
  try {
    const stream = await transport.open(way, { host: outside ? step.address : host, port }, signal);
    connected = true;
    const got = await getOver(stream, asked, signal);
    const cdn = cdnOf(got.headers);
    const finding = outside ? classifyOutside(step, got) : classifyThrough(got);
    return { step, finding, detail: sayAnswer(got, cdn, got.certificateFault), cdn };
  } catch (error) {
    stop.throwIfAborted();
    if (deadline.aborted) return { step, finding: 'untold', detail: OUT_OF_TIME, cdn: null };
    const unreached = error instanceof ConnectError ? error : new ConnectError('site', 'timeout');
    const finding = outside
      ? classifyFailure(unreached, { first: isFirst(step), connected })
      : classifyConnectError(unreached);
    return { step, finding, detail: sayUnreached(unreached), cdn: null };
  }
}
