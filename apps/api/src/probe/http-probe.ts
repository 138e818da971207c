import { setTimeout as pause } from 'node:timers/promises';
import type { CheckMessage } from '@propusk/phrases/checks';
import {
  cdnOf,
  classifyConnectError,
  classifyFailure,
  classifyOutside,
  type Finding,
  inconclusive,
  type StepResult,
} from './classify-response.ts';
import { ConnectError } from './connect-error.ts';
import type { ResponseHead } from './connect-tunnel.ts';
import { type GetResponse, getOver } from './http-get.ts';
import type { Pace } from './pace.ts';
import type { OutsideStep, Scheme, ThroughStep } from './plan.ts';
import type { Transport } from './transport.ts';

export type RequestStep = OutsideStep | ThroughStep;

/** The signals that end all requests of a probe. */
export interface ProbeSignals {
  /** This signal ends the probe without a verdict. */
  readonly stop: AbortSignal;
  /** This signal fires at the time limit of the probe. The remaining steps become inconclusive. */
  readonly deadline: AbortSignal;
}

export const STEP_MS = 10_000;
/** If a stranger's first request to an address has one of these findings, further requests to the address are sent. */
export const worthMore: ReadonlySet<Finding> = new Set(['denied', 'redirect', 'dropped']);
/** Findings which show that the site answered a request through a proxy. */
const answered: ReadonlySet<Finding> = new Set([
  ...['denied', 'open', 'missing', 'rejected', 'away', 'server_error'],
] as Finding[]);
const noConnection: ReadonlySet<Finding> = new Set(['no_connection', 'refused', 'no_egress']);

/** Sends the request of a probe step. @throws the abort reason of the signal `stop` */
export type Ask<Step extends RequestStep = RequestStep> = (step: Step) => Promise<StepResult>;

/**
 * Runs in sequence the probe steps of one host that take the same route: directly, or through one proxy.
 * @param steps the requests to the host: first all https requests, then all http requests
 * @throws the errors of `ask`
 */
export async function probePlace<Step extends RequestStep>(
  ask: Ask<Step>,
  steps: readonly Step[],
  { deadline }: Pick<ProbeSignals, 'deadline'>,
  settle: (result: StepResult) => void,
): Promise<void> {
  const onePort = new Set(steps.map(({ port }) => port)).size === 1;
  /** Schemes whose remaining steps are skipped, with the message that these steps display; null hides the steps. */
  const skipped: Partial<Record<Scheme, CheckMessage | null>> = {};
  /** Schemes by which the first page was reached through a proxy. Only the first of these schemes is used for start paths. */
  const reached: Scheme[] = [];
  for (const step of steps) {
    const first = isFirst(step);
    const late = deadline.aborted;
    const needless = step.kind === 'get' && !first && reached[0] !== step.scheme;
    const reason = late ? ({ code: 'out_of_time' } as const) : needless ? null : skipped[step.scheme];
    if (reason !== undefined) {
      settle(inconclusive(step, first || late ? reason : null));
      continue;
    }
    const result = await ask(step);
    // On an explicit port, a site speaks either TLS or plain HTTP. The first request shows which of the two.
    const plainPort = first && onePort && result.finding === 'no_tls';
    settle(plainPort ? { ...result, finding: 'inconclusive', detail: { code: 'port_without_tls' } } : result);
    if (!first) continue;
    if (step.kind === 'get') {
      if (answered.has(result.finding)) reached.push(step.scheme);
    } else if (!worthMore.has(result.finding)) skipped[step.scheme] = null;
    if (onePort && step.scheme === 'https' && !plainPort) {
      // The gateway has no egress address of the site's address family, so the gateway sent no request to the port.
      const unsent = result.finding === 'denied' && result.detail?.code === 'unreached';
      skipped.http = unsent || noConnection.has(result.finding) ? result.detail : { code: 'port_with_tls' };
    }
  }
}

const isFirst = (step: RequestStep) => step.kind === 'plain' || (step.kind === 'get' && step.path === '/');

/** The maximum number of bytes of a first page that are read to recognize a browser challenge. */
const CHALLENGE_BYTES = 16_384;
const MAX_RETRY_S = 10;

/** Sends requests directly from this machine, as a stranger. */
export const askDirectly =
  (transport: Transport, pace: Pace, { stop, deadline }: ProbeSignals) =>
  async (step: OutsideStep): Promise<StepResult> => {
    const { host, port, scheme, address, path, headers } = step;
    const bodyLimit = step.kind === 'plain' ? CHALLENGE_BYTES : 0;
    // An invalid certificate is reported without failing the request, because the lock does not depend on the certificate.
    const asked = { host, port, headers, path, tls: scheme === 'https', verify: false, bodyLimit, cut: true };
    let connected = false;
    const send = async (): Promise<GetResponse | null> => {
      deadline.throwIfAborted();
      if (!pace.count(host)) return null;
      await pace.turn(address, AbortSignal.any([stop, deadline]));
      const signal = AbortSignal.any([stop, deadline, AbortSignal.timeout(STEP_MS)]);
      const stream = await transport.open({ kind: 'outside' }, { host: address, port }, signal);
      connected = true;
      return getOver(stream, asked, signal);
    };
    try {
      let response = await send();
      if (response !== null && (response.status === 429 || response.status === 503)) {
        pace.slow(address);
        const seconds = Math.min(Number(response.headers['retry-after'] ?? 1) || 1, MAX_RETRY_S);
        await pause(seconds * 1000, null, { signal: AbortSignal.any([stop, deadline]) });
        response = await send();
      }
      return response === null
        ? inconclusive(step, { code: 'host_busy' })
        : resultOfResponse(step, response, response.certificateFault);
    } catch (error) {
      stop.throwIfAborted();
      if (deadline.aborted) return inconclusive(step, { code: 'out_of_time' });
      const failed = error instanceof ConnectError ? error : new ConnectError('site', 'timeout');
      return resultOfFailure(step, failed, connected);
    }
  };

/** The result of a stranger's request that got a response. @param certificateFault OpenSSL's code; null without a fault */
export function resultOfResponse(
  step: OutsideStep,
  response: ResponseHead & { readonly body?: string },
  certificateFault: string | null,
): StepResult {
  const { status, body = '' } = response;
  const cdn = cdnOf(response.headers);
  const challenge = status === 200 && isChallenge(body) ? ({ challenge: true } as const) : {};
  const detail: CheckMessage = { code: 'answered', params: { status, cdn, certificateFault, ...challenge } };
  return { step, finding: classifyOutside(step, response), detail, cdn };
}

/** Whether a page is a browser challenge: a script that sets a cookie or reloads the page, and almost no text. */
function isChallenge(page: string): boolean {
  const isScripted =
    /<script/i.test(page) && /document\.cookie|location\.(?:reload|href|replace)|location\s*=/i.test(page);
  const words = page.replace(/<(script|style)[^]*?<\/\1>|<[^<>]*>/gi, ' ').match(/\S+/g) ?? [];
  return isScripted && words.length < 60;
}

/** The result of a stranger's request that got no response. @param connected whether the connection was established */
export function resultOfFailure(step: OutsideStep, error: ConnectError, connected: boolean): StepResult {
  const finding = classifyFailure(error, { first: isFirst(step), connected });
  return { step, finding, detail: describeConnectError(error), cdn: null };
}

/** The result of a request that got no response through a proxy. */
export function resultThrough(step: ThroughStep, error: ConnectError): StepResult {
  return { step, finding: classifyConnectError(error), detail: describeConnectError(error), cdn: null };
}

/** Describes why a request got no response. */
export function describeConnectError({ where, reason, status }: ConnectError): CheckMessage {
  if (where === 'site') return { code: 'unreached', params: { reason } };
  if (reason === 'credentials') return { code: 'proxy_credentials' };
  if (reason === 'tls_failed') return { code: 'proxy_certificate' };
  return status === undefined ? { code: 'proxy_unavailable' } : { code: 'proxy_refused', params: { status } };
}
