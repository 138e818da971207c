import { getOver } from '../outbound/get.ts';
import type { Reach, Way } from '../outbound/reach.ts';
import { Unreached } from '../outbound/unreached.ts';
import { cdnOf, type Finding, findOutside, findThrough, findUnanswered, findUnreached } from './finding.ts';
import type { OutsideStep, Scheme, ThroughStep } from './plan.ts';
import { NEEDLESS, OUT_OF_TIME, sayAnswer, sayUnreached } from './say.ts';
import type { Taken } from './verdict.ts';

type Request = OutsideStep | ThroughStep;

/** The time that all requests of a probe share, and what ends it before. */
export interface Clock {
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
export async function askPlace(
  reach: Reach,
  way: Way,
  steps: readonly Request[],
  clock: Clock,
  settle: (one: Taken) => void,
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
    const one = await ask(reach, way, step, clock);
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

async function ask(reach: Reach, way: Way, step: Request, { stop, deadline }: Clock): Promise<Taken> {
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
    const stream = await reach.open(way, { host: outside ? step.address : host, port }, signal);
    connected = true;
    const got = await getOver(stream, asked, signal);
    const cdn = cdnOf(got.headers);
    const finding = outside ? findOutside(step, got) : findThrough(got);
    return { step, finding, detail: sayAnswer(got, cdn, got.certificateFault), cdn };
  } catch (error) {
    stop.throwIfAborted();
    if (deadline.aborted) return { step, finding: 'untold', detail: OUT_OF_TIME, cdn: null };
    const unreached = error instanceof Unreached ? error : new Unreached('site', 'timeout');
    const finding = outside
      ? findUnanswered(unreached, { first: isFirst(step), connected })
      : findUnreached(unreached);
    return { step, finding, detail: sayUnreached(unreached), cdn: null };
  }
}
