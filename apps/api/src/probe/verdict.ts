import type { Verdict } from '@propusk/contract/protection';
import type { CheckMessage } from '@propusk/phrases/checks';
import { type Finding, outweighedBy, type StepResult } from './classify-response.ts';
import { answersNobody, type Connectivity, discountSilence, targetFamily } from './connectivity.ts';
import { adviseStep, isSample } from './messages.ts';
import { placeOf, proxyOf, sourceOf } from './plan.ts';
import type { FailedPage } from './site-reader.ts';

/** The data that `decideVerdict` needs besides the results of the probe's steps. */
export interface VerdictContext {
  /** Whether the probe knew an egress address to use in spoofed headers. */
  readonly egressKnown: boolean;
  /** Whether the lock allows this machine's address. Direct requests from an allowed address do not test the lock. */
  readonly insider: boolean;
  readonly connectivity: Connectivity;
  /** The vantages to which the probe assigned direct requests. */
  readonly vantages: readonly ProbingVantage[];
  /** Names of the site's vantages that were offline. */
  readonly away: readonly string[];
  /** Whether another company has the oldest claim to the site's host on shared egress. */
  readonly held: boolean;
  /** Whether steps were skipped at the time limit. */
  readonly unfinished: boolean;
  /** The number of pages and files of the site that were not requested because of a limit. */
  readonly unfit: number;
  readonly failedPage: FailedPage | undefined;
  /** Whether the probe found no page or file to request besides the first page. */
  readonly emptySample: boolean;
  /** Ids of proxies whose echo request confirmed the stored egress addresses. */
  readonly confirmedProxies: readonly number[];
}

/** A vantage that sends direct requests for the probe. */
export interface ProbingVantage {
  readonly id: number;
  readonly name: string;
  /** Whether the lock allows the vantage's address. Requests from an allowed address do not test the lock. */
  readonly insider: boolean;
  readonly connectivity: Connectivity;
}

export interface ProbeVerdict {
  readonly verdict: Verdict;
  readonly meaning: CheckMessage;
  readonly advice: CheckMessage | null;
}

interface Facts extends VerdictContext {
  readonly results: readonly StepResult[];
  /** Vantages whose requests count as those of strangers, because the lock does not allow their addresses. */
  readonly witnesses: readonly ProbingVantage[];
  /** Results of direct requests from addresses that the lock does not allow. */
  readonly outside: readonly StepResult[];
  /** Results of the requests through proxies to the site. Excludes requests to the echo endpoint. */
  readonly through: readonly StepResult[];
  readonly cdn: string | null;
}

type Rule = (facts: Facts) => ProbeVerdict | false | undefined;

/**
 * Decides the verdict by the first rule that applies. Each rule finds one obstacle to the verdict `protected`. If no rule
 * applies, every stranger was denied, and every proxy of the policies opened the site.
 */
export function decideVerdict(all: readonly StepResult[], context: VerdictContext): ProbeVerdict {
  const results = discountSilence(all, context.connectivity, context.vantages);
  const witnesses = context.vantages.filter(({ insider }) => !insider);
  const strangers = new Set([...(context.insider ? [] : [null]), ...witnesses.map(({ id }) => id)]);
  const outweighed = outweighedBy(results);
  const facts: Facts = {
    ...context,
    results,
    witnesses,
    outside: results.filter(({ step }) => step.vantage === 'outside' && strangers.has(sourceOf(step))),
    through: results.filter((result) => result.step.kind === 'get' && !outweighed.has(result)),
    cdn: results.find(({ cdn }) => cdn !== null)?.cdn ?? null,
  };
  for (const rule of rules) {
    const verdict = rule(facts);
    if (verdict) return verdict;
  }
  const missing = facts.through.find(
    ({ step, finding }) => finding === 'missing' && !opens(facts.through, proxyOf(step)),
  );
  const advice: CheckMessage | null = missing === undefined ? null : { code: 'add_start_path' };
  return verdictOf('protected', { code: 'protected', params: countRefusals(facts) }, advice);
}

/** Counts the refused requests of strangers, the refused URLs, and the URLs that were not requested. */
function countRefusals({ outside, witnesses, unfit, emptySample }: Facts) {
  const refused = outside.filter(({ finding }) => turnedAway.has(finding));
  const paths = refused.flatMap(({ step }) =>
    step.kind === 'plain' || (isSample(step) && step.kind !== 'guess') ? [step.path] : [],
  );
  const allowed = outside.flatMap(({ step, finding }) =>
    finding === 'allowed' && 'path' in step ? [step.path] : [],
  );
  return {
    pages: new Set(paths).size,
    requests: refused.length,
    unfit,
    emptySample,
    allowed: [...new Set(allowed)],
    vantages: witnesses.map(({ name }) => name),
  };
}

const opens = (through: readonly StepResult[], proxyId: number) =>
  through.some(({ step, finding }) => finding === 'open' && proxyOf(step) === proxyId);

const verdictOf = (verdict: Verdict, meaning: CheckMessage, advice: CheckMessage | null) => {
  return { verdict, meaning, advice };
};

const unknown = (meaning: CheckMessage, advice: CheckMessage) => verdictOf('unknown', meaning, advice);

/** The verdict on a site without a policy. The probe sends no requests to the site. */
export const noPolicy = unknown({ code: 'no_policy' }, { code: 'add_to_policy' });

const rules: readonly Rule[] = [
  openToStrangers,
  nameWithoutAddress,
  ({ held }) => held && unknown({ code: 'host_taken' }, { code: 'own_proxy' }),
  behindCdn,
  ({ results }) => {
    const failed = results.find(({ finding }) => finding === 'server_error');
    const code = 'server_error';
    return failed && verdictOf(code, { code, params: quote(failed) }, { code: 'fix_server' });
  },
  deniedThroughProxy,
  ({ results }) => answersNobody(results) && verdictOf('down', { code: 'down' }, { code: 'fix_firewall' }),
  silentThroughProxy,
  unwitnessed,
  silentVantage,
  ({ unfinished }) => unfinished && unknown({ code: 'unfinished' }, { code: 'check_again' }),
  notOpenedThroughProxy,
  ({ outside }) =>
    outside.some(({ detail }) => detail?.code === 'host_busy') &&
    unknown({ code: 'host_busy_now' }, { code: 'check_later' }),
  ({ outside }) => {
    const unsent = outside.find(({ finding }) => finding === 'no_egress');
    const family = (unsent && targetFamily(unsent.step)) ?? 4;
    const advice: CheckMessage = { code: 'fix_egress', params: { family } };
    return unsent && unknown({ code: 'outside_failed', params: quote(unsent) }, advice);
  },
  blocksProber,
  ({ outside }) => {
    const vague = outside.find(({ finding }) => finding === 'unclear' || finding === 'no_tls');
    return vague && unknown({ code: 'unclear', params: quote(vague) }, { code: 'read_server_log' });
  },
  ({ outside }) => {
    const bySource = [...Map.groupBy(outside, ({ step }) => sourceOf(step)).values()];
    const isRefused = (own: StepResult[]) => own.some(({ finding }) => turnedAway.has(finding));
    const areRefused = bySource.length > 0 && bySource.every(isRefused);
    return !areRefused && unknown({ code: 'redirects' }, { code: 'check_redirect_target' });
  },
  ({ outside }) => {
    const partly = outside.find(
      (result) => acceptsConnections(result) && !otherPathsRequested(result, outside),
    );
    return partly && unknown({ code: 'first_page_alone', params: quote(partly) }, { code: 'check_again' });
  },
  ({ egressKnown }) => !egressKnown && unknown({ code: 'egress_unknown' }, { code: 'find_egress' }),
  ({ failedPage }) =>
    failedPage && unknown({ code: 'unread_page', params: failedPage }, { code: 'read_again' }),
];

/** The verdict `unknown`: the lock allows this machine's address, and no vantage requested the site as a stranger. */
function unwitnessed({ insider, witnesses, vantages: insiders, away }: Facts): ReturnType<Rule> {
  if (!insider || witnesses.length > 0) return false;
  const names = insiders.map(({ name }) => name);
  if (names.length > 0)
    return unknown({ code: 'vantage_insider', params: { vantages: names } }, { code: 'other_vantage' });
  return away.length === 0
    ? unknown({ code: 'insider' }, { code: 'move_console' })
    : unknown({ code: 'vantage_away', params: { vantages: away } }, { code: 'start_vantage' });
}

/** The verdict `unknown`: an online vantage did not report, or refused to request a private address. */
function silentVantage({ outside, witnesses }: Facts): ReturnType<Rule> {
  const having = (code: CheckMessage['code']) => {
    const sources = new Set(
      outside.filter(({ detail }) => detail?.code === code).map(({ step }) => sourceOf(step)),
    );
    return witnesses.filter(({ id }) => sources.has(id)).map(({ name }) => name);
  };
  const [refusing, silent] = [having('vantage_private'), having('vantage_silent')];
  if (refusing.length > 0)
    return unknown(
      { code: 'vantage_opens_no_private', params: { vantages: refusing } },
      { code: 'allow_private' },
    );
  const meaning: CheckMessage = { code: 'vantage_unanswered', params: { vantages: silent } };
  return silent.length > 0 && unknown(meaning, { code: 'check_again' });
}

/**
 * Returns the verdict `open`, because the site served a request from outside. If the site served only this machine, the message
 * says so: an old lock can still allow the address of this machine.
 */
function openToStrangers({ outside, cdn, egressKnown }: Facts): ReturnType<Rule> {
  const open =
    outside.find(({ step, finding }) => finding === 'open' && sourceOf(step) !== null) ??
    outside.find(({ finding }) => finding === 'open');
  if (open === undefined) return undefined;
  const denied = outside.some(({ step, finding }) => sourceOf(step) !== null && finding === 'denied');
  const params = quote(open);
  if (sourceOf(open.step) !== null || open.step.kind !== 'plain' || (egressKnown && !denied))
    return verdictOf('open', { code: 'open', params }, adviseStep({ ...open, cdn }));
  const code = denied ? 'open_here_only' : 'open_here';
  return verdictOf('open', { code, params }, { code: 'renew_own' });
}

function nameWithoutAddress({ results }: Facts): ReturnType<Rule> {
  for (const { step } of results) {
    if (step.kind === 'unresolved')
      return unknown({ code: 'name_unresolved', params: { host: step.host } }, { code: 'fix_name' });
    if (step.kind === 'address_refused')
      return unknown({ code: 'name_internal', params: { host: step.host } }, { code: 'fix_internal' });
  }
  return undefined;
}

/** The verdict `cdn`: responses show nothing about the origin server, because the CDN itself may have denied the requests. */
function behindCdn({ cdn, through }: Facts): ReturnType<Rule> {
  const code = through.some(({ finding }) => finding === 'denied') ? 'cdn_closed' : 'cdn';
  return cdn !== null && verdictOf('cdn', { code, params: { cdn } }, { code: 'bypass_cdn' });
}

function deniedThroughProxy({ through, confirmedProxies }: Facts): ReturnType<Rule> {
  const denied = through.find(({ finding }) => finding === 'denied');
  if (denied === undefined) return undefined;
  const meaning: CheckMessage = { code: 'closed', params: quote(denied) };
  // The lock allows the proxy's egress address, but the site's reverse proxy probably hides this address from the web server.
  const isInLock = denied.detail?.code === 'answered' && confirmedProxies.includes(proxyOf(denied.step));
  return { verdict: 'closed', meaning, advice: isInLock ? { code: 'front_server' } : adviseStep(denied) };
}

/**
 * The verdict `unknown`: through a proxy, neither the first page nor a start path opened. A missing page (404)
 * counts as opened, because a denied request gets 403.
 */
function notOpenedThroughProxy({ through }: Facts): ReturnType<Rule> {
  const passing: ReadonlySet<Finding> = new Set(['open', 'missing']);
  const passed = new Set(
    through.filter(({ finding }) => passing.has(finding)).map(({ step }) => proxyOf(step)),
  );
  const failed = through.filter(({ step }) => !passed.has(proxyOf(step)));
  const told = failed.find(({ finding }) => finding === 'away' || finding === 'rejected') ?? failed[0];
  if (told?.detail?.code === 'leads_away') {
    const { params } = told.detail;
    return unknown({ code: 'redirects_away', params }, { code: 'add_site', params });
  }
  const advice: CheckMessage = { code: told?.finding === 'rejected' ? 'fix_status' : 'check_proxy' };
  return told && unknown({ code: 'through_failed', params: quote(told) }, advice);
}

/** The verdict `unknown`: the server first denied requests of strangers, and then did not answer at all. */
function blocksProber({ outside }: Facts): ReturnType<Rule> {
  const silent = outside.find(
    ({ step, finding, detail }) =>
      finding === 'unclear' &&
      detail?.code === 'unreached' &&
      outside.some((other) => other.finding === 'denied' && placeOf(other.step) === placeOf(step)),
  );
  return silent && unknown({ code: 'prober_blocked', params: quote(silent) }, { code: 'check_later' });
}

/** The verdict `closed`: a proxy that a policy uses gets no response from the site, neither over http nor over https. */
function silentThroughProxy({ through }: Facts): ReturnType<Rule> {
  // A step without a `detail` did not run, because another result made the step unnecessary.
  const silent = through.find(
    ({ step, finding }) =>
      finding === 'no_connection' &&
      through.every(
        (other) =>
          proxyOf(other.step) !== proxyOf(step) || other.finding === 'no_connection' || other.detail === null,
      ),
  );
  const advice: CheckMessage = { code: 'fix_firewall' };
  return silent && verdictOf('closed', { code: 'closed_silent', params: quote(silent) }, advice);
}

const turnedAway: ReadonlySet<Finding> = new Set(['denied', 'no_connection', 'refused', 'dropped']);

const acceptsConnections = ({ step, finding }: StepResult) =>
  step.kind === 'plain' && (finding === 'denied' || finding === 'dropped');

/** Whether the probe requested other paths at the scheme, host and address of a step, and all results were conclusive. */
function otherPathsRequested({ step: first }: StepResult, outside: readonly StepResult[]): boolean {
  const place = placeOf(first);
  const others = outside.filter(
    ({ step }) => (step.kind === 'deep' || step.kind === 'acme') && placeOf(step) === place,
  );
  return others.length > 0 && others.every(({ finding }) => finding !== 'inconclusive');
}

const quote = ({ step, detail }: StepResult) => ({ title: step.title, detail });
