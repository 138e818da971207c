import type { ProbeStep, SiteCheck } from '@propusk/contract/probe';
import type { CheckMessage, CheckStep } from '@propusk/phrases/checks';
import { type Finding, outweighedBy, type StepResult } from './classify-response.ts';
import { answersNobody } from './connectivity.ts';
import { type OutsideStep, type PlannedStep, placeOf, proxyOf } from './plan.ts';

/** Converts the steps of a probe for display: their outcomes, advice and tallies. */

/** Lists the steps for display. Unfinished steps are listed as waiting, and unnecessary steps are omitted. */
export function listSteps(
  steps: readonly PlannedStep[],
  results: ReadonlyMap<PlannedStep, StepResult>,
): CheckStep[] {
  const reached = new Set(
    [...results.values()]
      .filter(({ step, finding }) => step.kind === 'get' && finding === 'open')
      .map(({ step }) => proxyOf(step)),
  );
  const down = answersNobody([...results.values()]);
  const outweighed = outweighedBy([...results.values()]);
  const sampled = Map.groupBy(steps.filter(isSample), placeOf);
  return steps.flatMap((step): CheckStep[] => {
    const { title, vantage } = step;
    const result = results.get(step);
    if (isSample(step)) {
      const group = sampled.get(placeOf(step)) ?? [];
      const own = result === undefined || outcomeOf(result) !== 'failed' ? [] : [failed(result)];
      return group[0] === step ? [...sumOf(group, results), ...own] : own;
    }
    if (result === undefined) return [{ title, vantage, outcome: 'waiting', detail: null }];
    const { finding, detail } = result;
    if (detail === null) return [];
    // A site needs to serve only one of http and https.
    const spare =
      step.kind === 'get' &&
      (finding === 'denied' ? outweighed.has(result) : finding !== 'open' && reached.has(proxyOf(step)));
    if (spare) return [{ title, vantage, detail, outcome: 'skipped' }];
    const outcome = down && vantage === 'outside' ? 'skipped' : outcomeOf(result);
    return [{ title, vantage, detail, outcome, advice: adviseStep(result) }];
  });
}

const failed = (result: StepResult): CheckStep => ({
  ...{ title: result.step.title, vantage: result.step.vantage, detail: result.detail, outcome: 'failed' },
  advice: adviseStep(result),
});

/** Whether a step requests a start path or a sampled URL. */
export const isSample = (step: PlannedStep): step is OutsideStep =>
  step.kind === 'start' || step.kind === 'file' || step.kind === 'page' || step.kind === 'guess';

/** Combines a group of sample steps into one row, because a group may have fifty steps. Omits failed steps. */
function sumOf(group: readonly OutsideStep[], results: ReadonlyMap<PlannedStep, StepResult>): CheckStep[] {
  const [first] = group;
  if (first === undefined || first.title.code !== 'outside_path') return [];
  const { path: _, ...target } = first.title.params;
  const settled = group.flatMap((step) => results.get(step) ?? []);
  const row = { title: { code: 'outside_samples', params: target }, vantage: 'outside' } as const;
  if (settled.length < group.length) return [{ ...row, outcome: 'waiting', detail: null }];
  const denied = settled.filter((result) => outcomeOf(result) === 'passed' && result.finding !== 'redirect');
  const skipped = settled.filter((result) => outcomeOf(result) === 'skipped' && result.detail !== null);
  const rows = [...Map.groupBy(skipped, ({ detail }) => detail?.code).values()].flatMap(
    ([one, ...others]): CheckStep[] =>
      one === undefined ? [] : [{ ...row, outcome: 'skipped', detail: one.detail, count: 1 + others.length }],
  );
  if (denied.length === 0) return rows;
  const detail = { code: 'samples_denied', params: { count: denied.length } } as const;
  return [{ ...row, outcome: 'passed', detail, count: denied.length }, ...rows];
}

function outcomeOf({ step, finding }: StepResult): ProbeStep['outcome'] {
  if (step.kind === 'unresolved' || step.kind === 'address_refused') return 'failed';
  const outside = step.vantage === 'outside';
  if (finding === 'inconclusive' || finding === 'allowed' || (outside && finding === 'no_egress'))
    return 'skipped';
  return (outside ? passedOutside : passedThrough).has(finding) ? 'passed' : 'failed';
}

const passedOutside: ReadonlySet<Finding> = new Set([
  'denied',
  'no_connection',
  'refused',
  'dropped',
  'redirect',
]);
const passedThrough: ReadonlySet<Finding> = new Set(['open', 'redirect', 'missing']);

/** The advice for a probe step that failed or has no clear result; null for any other step. */
export function adviseStep(result: StepResult): CheckMessage | null {
  const { step, finding, detail, cdn } = result;
  if (step.kind === 'unresolved') return { code: 'fix_name' };
  if (step.kind === 'address_refused') return { code: 'fix_internal' };
  if (finding === 'server_error') return { code: 'fix_server' };
  if (step.vantage === 'through') return adviseThrough(result);
  if (finding === 'open' && detail?.code === 'answered' && detail.params.challenge === true)
    return { code: 'challenge_page' };
  if (finding === 'open')
    return cdn === null ? { code: openings[step.kind] } : { code: 'use_cdn_lock', params: { cdn } };
  return finding === 'unclear' || finding === 'no_tls' ? { code: 'read_server_log' } : null;
}

/** The advice for a site that answered a request made without the gateway, by the kind of request. */
const openings = {
  plain: 'paste_lock',
  spoofed: 'distrust_header',
  deep: 'lock_whole_site',
  acme: 'lock_whole_site',
  start: 'lock_path',
  file: 'lock_files',
  page: 'lock_path',
  guess: 'lock_path',
} as const;

function adviseThrough({ step, finding, detail }: StepResult): CheckMessage | null {
  if (step.kind === 'egress') return null;
  if (detail?.code === 'held') return { code: 'own_proxy' };
  if (detail?.code === 'unreached' && detail.params.reason === 'no_family') return { code: 'fix_family' };
  if (detail?.code === 'out_of_time' || detail?.code === 'out_of_requests') return { code: 'check_again' };
  if (finding === 'denied') return { code: 'renew_lock' };
  if (finding === 'missing')
    return { code: step.kind === 'get' && step.path !== '/' ? 'fix_start_path' : 'add_start_path' };
  if (finding === 'rejected') return { code: 'fix_status' };
  if (finding === 'away' && detail?.code === 'leads_away') return { code: 'add_site', params: detail.params };
  if (finding === 'inconclusive' && detail?.code !== 'unreached') return { code: 'check_proxy' };
  return finding === 'open' || finding === 'redirect' ? null : { code: 'fix_firewall' };
}

/** Counts the refused requests among all requests from outside, and the proxies that open the site among all proxies. */
export function tallyProof(steps: readonly CheckStep[]): SiteCheck['proof'] {
  const outside = steps.filter((step) => step.vantage === 'outside' && counts(step));
  const requests = (those: readonly CheckStep[]) => those.reduce((sum, { count = 1 }) => sum + count, 0);
  const byProxy = Map.groupBy(
    steps.filter(({ title }) => title.code === 'through_get' || title.code === 'through_path'),
    ({ title }) =>
      title.code === 'through_get' || title.code === 'through_path' ? title.params.proxy : null,
  );
  // One passed request without a failed one shows that a proxy opens the site, because a site may serve only http or only https.
  const opened = [...byProxy.values()].filter(
    (own) =>
      own.some(({ outcome }) => outcome === 'passed') && own.every(({ outcome }) => outcome !== 'failed'),
  );
  return {
    outside: {
      passed: requests(outside.filter(({ outcome }) => outcome === 'passed')),
      of: requests(outside),
    },
    through: { passed: opened.length, of: byProxy.size },
  };
}

/** Requests skipped for these reasons count as not refused. Other skipped requests were redundant, like https at an http port. */
const unproven: ReadonlySet<CheckMessage['code']> = new Set([
  'no_egress_either',
  'own_egress',
  'out_of_time',
  'host_busy',
]);

function counts({ outcome, detail }: CheckStep): boolean {
  if (outcome === 'skipped') return detail !== null && unproven.has(detail.code);
  // A redirect within the site is not counted: it is no failure, but does not prove that the lock refuses strangers.
  const redirects = detail?.code === 'answered' && detail.params.status >= 300 && detail.params.status < 400;
  return outcome !== 'passed' || !redirects;
}

/** Hides a site's paths in the messages of a probe. Used for an ADMIN whom the company does not permit to see visits. */
export function withoutPaths<Check>(check: Check): Check {
  return JSON.parse(JSON.stringify(check), (key, value) =>
    key === 'path' ? '/…' : key === 'allowed' && Array.isArray(value) ? value.map(() => '/…') : value,
  );
}
