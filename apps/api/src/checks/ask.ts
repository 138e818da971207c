import { get } from '../outbound/get.ts';
import type { Reach, Way } from '../outbound/reach.ts';
import { Unreached } from '../outbound/unreached.ts';
import { cdnOf, findOutside, findThrough, findUnreached } from './finding.ts';
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
    const first = step.kind === 'plain' || step.kind === 'get';
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
    if (!['shut', 'redirect'].includes(one.finding)) skipped[step.scheme] = NEEDLESS;
    if (onePort && step.scheme === 'https' && !plainPort) {
      skipped.http = one.finding === 'silent' ? one.detail : 'порт говорит по TLS';
    }
  }
}

async function ask(reach: Reach, way: Way, step: Request, { stop, deadline }: Clock): Promise<Taken> {
  const { host, port, scheme } = step;
  const outside = step.vantage === 'outside';
  const asked = {
    host,
    port,
    ...(outside && { connectTo: step.address, headers: step.headers }),
    path: outside ? step.path : '/',
    tls: scheme === 'https',
    // Its fault is told, and no more: whoever the site turns away, it turns away under any certificate.
    verify: false,
    bodyLimit: 0,
  };
  try {
    const got = await get(reach, way, asked, AbortSignal.any([stop, deadline, AbortSignal.timeout(STEP_MS)]));
    const cdn = cdnOf(got.headers);
    const finding = outside ? findOutside(step, got) : findThrough(got);
    return { step, finding, detail: sayAnswer(got, cdn, got.certificateFault), cdn };
  } catch (error) {
    stop.throwIfAborted();
    if (deadline.aborted) return { step, finding: 'untold', detail: OUT_OF_TIME, cdn: null };
    const unreached = error instanceof Unreached ? error : new Unreached('site', 'timeout');
    return { step, finding: findUnreached(unreached), detail: sayUnreached(unreached), cdn: null };
  }
}
