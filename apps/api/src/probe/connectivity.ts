import type { Finding, StepResult } from './classify-response.ts';
import { type PlannedStep, proxyOf, sourceOf } from './plan.ts';
import { type Family, familyOf, type SelfEgress } from './self-egress-check.ts';

/** The address families by which this machine or a vantage reached, or failed to reach, hosts other than the site. */
export type Connectivity = Pick<SelfEgress, 'confirmed' | 'failed'>;

/** Findings for a request that got a response, from the site or from a server in front of the site. */
const responses: ReadonlySet<Finding> = new Set<Finding>([
  ...(['denied', 'redirect', 'open', 'allowed', 'missing', 'rejected', 'away', 'server_error'] as const),
]);
/** Findings for a connection that was rejected, either by the site's server or by a firewall in this machine's network. */
const rejections: ReadonlySet<Finding> = new Set(['refused', 'dropped']);
const silences: ReadonlySet<Finding> = new Set(['no_connection', ...rejections]);

const answers: ReadonlySet<Finding> = new Set([...responses, 'dropped', 'unclear', 'no_tls']);

/** Whether the site answered no request, although every proxy sent requests. Missing responses are then no sign of a lock. */
export function answersNobody(results: readonly StepResult[]): boolean {
  const through = results.filter(({ step }) => step.kind === 'get');
  const sent = new Set(
    through.filter(({ finding }) => silences.has(finding)).map(({ step }) => proxyOf(step)),
  );
  const allSent = through.length > 0 && through.every(({ step }) => sent.has(proxyOf(step)));
  return allSent && !results.some(({ step, finding }) => step.kind !== 'egress' && answers.has(finding));
}

/**
 * Changes the finding of an unanswered request to `no_egress` if its sender (this machine or a vantage) has no confirmed egress by
 * the address family of the request. The cause may be the sender's network instead of the site.
 */
export function discountSilence(
  results: readonly StepResult[],
  connectivity: Connectivity,
  vantages: readonly { readonly id: number; readonly connectivity: Connectivity }[] = [],
): StepResult[] {
  const bySource = Map.groupBy(results, ({ step }) => sourceOf(step));
  const confirmed = new Map(
    [{ id: null, connectivity }, ...vantages].map((source) => [
      source.id,
      confirmedFamilies(bySource.get(source.id) ?? [], source.connectivity),
    ]),
  );
  return results.map((result): StepResult => {
    const family = targetFamily(result.step);
    const proven = confirmed.get(sourceOf(result.step));
    if (family === null || proven?.has(family) || !silences.has(result.finding)) return result;
    const detail = { code: 'no_egress_either', params: { detail: result.detail, family } } as const;
    return { ...result, finding: 'no_egress', detail };
  });
}

function confirmedFamilies(results: readonly StepResult[], { confirmed, failed }: Connectivity): Set<Family> {
  const families = new Set(confirmed);
  for (const { step, finding } of results) {
    const family = targetFamily(step);
    if (family === null) continue;
    // If all requests to the echo endpoint by an address family failed, a rejected connection does not confirm this family,
    // because a firewall on our side can have rejected the connection.
    const rejected = rejections.has(finding) && !failed.includes(family);
    if (rejected || responses.has(finding)) families.add(family);
  }
  return families;
}

/** The address family of a request from outside; null for other steps of a probe. */
export function targetFamily(step: PlannedStep): Family | null {
  return 'address' in step ? familyOf(step.address) : null;
}
