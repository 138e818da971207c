import type { CheckMessage } from '@propusk/phrases/checks';
import {
  cdnOf,
  classifyConnectError,
  classifyFailure,
  classifyOutside,
  classifyThrough,
  type Finding,
  type StepResult,
} from './classify-response.ts';
import { ConnectError } from './connect-error.ts';
import type { ResponseHead } from './connect-tunnel.ts';
import { getOver } from './http-get.ts';
import type { OutsideStep, Scheme, ThroughStep } from './plan.ts';
import { type Route, refusalWithin, type Transport } from './transport.ts';

export type RequestStep = OutsideStep | ThroughStep;

/** Ends all requests of a probe. */
export interface ProbeSignals {
  /** The probe ends without a verdict. */
  readonly stop: AbortSignal;
  /** The time limit of the probe: the remaining steps are inconclusive. */
  readonly deadline: AbortSignal;
}

const STEP_MS = 10_000;
/** Findings of the first request to a place after which its further requests can still change the verdict. */
const worthMore: ReadonlySet<Finding> = new Set(['denied', 'redirect', 'dropped']);
const noConnection: ReadonlySet<Finding> = new Set(['no_connection', 'refused', 'no_egress']);

/** Sends the request of a step. @throws the reason of `stop` */
export type Ask = (step: RequestStep) => Promise<StepResult>;

/**
 * Runs the steps of one place, one request after another.
 * @param steps to one host by one route: those of https, then those of http
 * @throws what `ask` throws
 */
export async function probePlace(
  ask: Ask,
  steps: readonly RequestStep[],
  { deadline }: Pick<ProbeSignals, 'deadline'>,
  settle: (result: StepResult) => void,
): Promise<void> {
  const onePort = new Set(steps.map(({ port }) => port)).size === 1;
  /** Schemes without further requests; null hides the step. */
  const skipped: Partial<Record<Scheme, CheckMessage | null>> = {};
  for (const step of steps) {
    const first = isFirst(step);
    const late = deadline.aborted;
    const reason = late ? ({ code: 'out_of_time' } as const) : skipped[step.scheme];
    if (reason !== undefined) {
      settle({ step, finding: 'inconclusive', detail: first || late ? reason : null, cdn: null });
      continue;
    }
    const result = await ask(step);
    // An explicit port of a site speaks one scheme. The first request to it shows which.
    const plainPort = first && onePort && result.finding === 'no_tls';
    settle(plainPort ? { ...result, finding: 'inconclusive', detail: { code: 'port_without_tls' } } : result);
    if (!first) continue;
    if (!worthMore.has(result.finding)) skipped[step.scheme] = null;
    if (onePort && step.scheme === 'https' && !plainPort) {
      // A gateway without an address of the site's family sent nothing to the port.
      const unsent = result.finding === 'denied' && result.detail?.code === 'unreached';
      skipped.http = unsent || noConnection.has(result.finding) ? result.detail : { code: 'port_with_tls' };
    }
  }
}

const isFirst = ({ kind }: RequestStep) => kind === 'plain' || kind === 'get';

/** Sends requests from this machine. */
export const askBy =
  (transport: Transport, route: Route, { stop, deadline }: ProbeSignals): Ask =>
  async (step) => {
    const { host, port, scheme } = step;
    const outside = step.vantage === 'outside';
    const asked = {
      host,
      port,
      ...(outside && { headers: step.headers }),
      path: outside ? step.path : '/',
      tls: scheme === 'https',
      // An invalid certificate is only reported: a site denies access under any certificate.
      verify: false,
      bodyLimit: 0,
    };
    const signal = AbortSignal.any([stop, deadline, AbortSignal.timeout(STEP_MS)]);
    let connected = false;
    try {
      const stream = await transport.open(route, { host: outside ? step.address : host, port }, signal);
      connected = true;
      const response = await getOver(stream, asked, signal);
      const refusal = refusalWithin(route, response);
      if (refusal !== null) throw refusal;
      return resultOfResponse(step, response, response.certificateFault);
    } catch (error) {
      stop.throwIfAborted();
      if (deadline.aborted) {
        return { step, finding: 'inconclusive', detail: { code: 'out_of_time' }, cdn: null };
      }
      const failed = error instanceof ConnectError ? error : new ConnectError('site', 'timeout');
      return resultOfFailure(step, failed, connected);
    }
  };

/** The result of a request with a response. @param certificateFault OpenSSL's code; null for a valid certificate or none */
export function resultOfResponse(
  step: RequestStep,
  response: ResponseHead,
  certificateFault: string | null,
): StepResult {
  const cdn = cdnOf(response.headers);
  const finding = step.vantage === 'outside' ? classifyOutside(step, response) : classifyThrough(response);
  const detail: CheckMessage = {
    code: 'answered',
    params: { status: response.status, cdn, certificateFault },
  };
  return { step, finding, detail, cdn };
}

/** The result of a request without a response. @param connected whether the connection was up */
export function resultOfFailure(step: RequestStep, error: ConnectError, connected: boolean): StepResult {
  const finding =
    step.vantage === 'outside'
      ? classifyFailure(error, { first: isFirst(step), connected })
      : classifyConnectError(error);
  return { step, finding, detail: describeConnectError(error), cdn: null };
}

function describeConnectError({ where, reason, status }: ConnectError): CheckMessage {
  if (where === 'site') return { code: 'unreached', params: { reason } };
  if (reason === 'credentials') return { code: 'proxy_credentials' };
  if (reason === 'tls_failed') return { code: 'proxy_certificate' };
  return status === undefined ? { code: 'proxy_unavailable' } : { code: 'proxy_refused', params: { status } };
}
