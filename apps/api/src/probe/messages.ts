import type { ProbeStep } from '@propusk/contract/lock';
import type { CheckMessage, CheckStep } from '@propusk/phrases/checks';
import type { Finding, ResponseHead, StepResult } from './classify-response.ts';
import type { ConnectError } from './connect-error.ts';
import { type PlannedStep, proxyOf } from './plan.ts';
import { adviseStep } from './proof.ts';

/** Describes a response. @param certificateFault OpenSSL's code; null for a valid certificate or none */
export function describeResponse(
  { status }: ResponseHead,
  cdn: string | null,
  certificateFault: string | null,
): CheckMessage {
  return { code: 'answered', params: { status, cdn, certificateFault } };
}

/** Describes a request without a response. */
export function describeConnectError({ where, reason, status }: ConnectError): CheckMessage {
  if (where === 'site') return { code: 'unreached', params: { reason } };
  if (reason === 'credentials') return { code: 'proxy_credentials' };
  return status === undefined ? { code: 'proxy_unavailable' } : { code: 'proxy_refused', params: { status } };
}

/** Lists the steps for display: finished ones, and the rest as waiting. It omits needless steps. */
export function listSteps(
  steps: readonly PlannedStep[],
  results: ReadonlyMap<PlannedStep, StepResult>,
): CheckStep[] {
  const reached = new Set(
    [...results.values()]
      .filter(({ step, finding }) => step.kind === 'get' && finding === 'open')
      .map(({ step }) => proxyOf(step)),
  );
  return steps.flatMap((step): CheckStep[] => {
    const { title, vantage } = step;
    const result = results.get(step);
    if (result === undefined) return [{ title, vantage, outcome: 'waiting', detail: null }];
    const { finding, detail } = result;
    if (detail === null) return [];
    // A site needs only one of the two schemes.
    const spare =
      step.kind === 'get' && finding !== 'denied' && finding !== 'open' && reached.has(proxyOf(step));
    if (spare) return [{ title, vantage, detail, outcome: 'skipped' }];
    return [{ title, vantage, detail, outcome: outcomeOf(result), advice: adviseStep(result) }];
  });
}

function outcomeOf({ step, finding }: StepResult): ProbeStep['outcome'] {
  if (step.vantage === 'through') return throughOutcomes[finding];
  return step.kind === 'unresolved' || step.kind === 'address_refused' ? 'failed' : outsideOutcomes[finding];
}

const outsideOutcomes: Readonly<Record<Finding, ProbeStep['outcome']>> = {
  denied: 'passed',
  no_connection: 'passed',
  refused: 'passed',
  dropped: 'passed',
  no_egress: 'skipped',
  redirect: 'passed',
  open: 'failed',
  server_error: 'failed',
  no_tls: 'failed',
  unclear: 'failed',
  inconclusive: 'skipped',
};

const throughOutcomes: Readonly<Record<Finding, ProbeStep['outcome']>> = {
  open: 'passed',
  redirect: 'passed',
  denied: 'failed',
  no_connection: 'failed',
  refused: 'failed',
  dropped: 'failed',
  no_egress: 'failed',
  no_tls: 'failed',
  server_error: 'failed',
  unclear: 'failed',
  inconclusive: 'skipped',
};
