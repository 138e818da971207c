import type { ProbeStep } from '@propusk/contract/lock';
import type { Answer, Finding, StepResult } from './classify-response.ts';
import type { ConnectError } from './connect-error.ts';
import { proxyOf } from './plan.ts';

/** The detail of a step that an earlier answer made needless: it is not shown. */
export const NEEDLESS = '';
export const OUT_OF_TIME = 'не хватило времени';

/** What came back, as the list of steps shows it. */
export function sayAnswer({ status }: Answer, cdn: string | null, certificateFault: string | null): string {
  const fault =
    certificateFault === null ? null : `сертификат: ${certificates[certificateFault] ?? certificateFault}`;
  return [String(status), cdn, fault].filter(Boolean).join(', ');
}

const certificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'просрочен',
  CERT_NOT_YET_VALID: 'ещё не действует',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'самоподписанный',
  SELF_SIGNED_CERT_IN_CHAIN: 'от неизвестного центра',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'от неизвестного центра',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'без промежуточного сертификата',
  ERR_TLS_CERT_ALTNAME_INVALID: 'на другое имя',
};

/** Why no answer came. */
export function sayUnreached({ where, reason, status }: ConnectError): string {
  if (where === 'proxy') {
    if (reason === 'credentials') return 'прокси не принял имя или пароль';
    return status === undefined ? 'прокси недоступен' : `прокси отказал: ${status}`;
  }
  switch (reason) {
    case 'resolve_failed':
      return 'имя не найдено в DNS';
    case 'address_refused':
      return 'внутренний адрес';
    case 'connect_failed':
      return 'соединение не установлено';
    case 'connection_refused':
      return 'соединение отклонено';
    case 'no_route':
      return 'отсюда туда нет пути';
    case 'timeout':
      return 'нет ответа';
    case 'broken_off':
      return 'соединение оборвано';
    case 'tls_failed':
      return 'TLS не установлен';
    case 'credentials':
    case 'refused':
      return 'отказ';
  }
}

/** The steps as they are shown: those that were taken, and the rest waiting. A needless one is left out. */
export function showSteps(
  steps: readonly StepResult['step'][],
  taken: ReadonlyMap<StepResult['step'], StepResult>,
): ProbeStep[] {
  const reached = new Set(
    [...taken.values()]
      .filter(({ step, finding }) => step.kind === 'get' && finding === 'open')
      .map(({ step }) => proxyOf(step)),
  );
  return steps.flatMap((step): ProbeStep[] => {
    const { title, vantage } = step;
    const done = taken.get(step);
    if (done === undefined) return [{ title, vantage, outcome: 'waiting', detail: '' }];
    const { finding, detail } = done;
    if (detail === NEEDLESS) return [];
    // A site need not have both schemes.
    const spare = step.kind === 'get' && finding !== 'shut' && reached.has(proxyOf(step));
    return [{ title, vantage, detail, outcome: spare && finding !== 'open' ? 'skipped' : outcomeOf(done) }];
  });
}

function outcomeOf({ step, finding }: StepResult): ProbeStep['outcome'] {
  if (step.vantage === 'through') return throughOutcomes[finding];
  return step.kind === 'unresolved' || step.kind === 'address_refused' ? 'failed' : outsideOutcomes[finding];
}

const outsideOutcomes: Readonly<Record<Finding, ProbeStep['outcome']>> = {
  shut: 'passed',
  silent: 'passed',
  refused: 'passed',
  dropped: 'passed',
  unsent: 'skipped',
  redirect: 'passed',
  open: 'failed',
  server_error: 'failed',
  no_tls: 'failed',
  unclear: 'failed',
  untold: 'skipped',
};

const throughOutcomes: Readonly<Record<Finding, ProbeStep['outcome']>> = {
  open: 'passed',
  redirect: 'passed',
  shut: 'failed',
  silent: 'failed',
  refused: 'failed',
  dropped: 'failed',
  unsent: 'failed',
  no_tls: 'failed',
  server_error: 'failed',
  unclear: 'failed',
  untold: 'skipped',
};
