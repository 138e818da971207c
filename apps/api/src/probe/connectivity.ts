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

/** Whether the site answered no request, although every proxy sent requests. Such silence does not indicate a lock. */
export function answersNobody(results: readonly StepResult[]): boolean {
  const through = results.filter(({ step }) => step.kind === 'get');
  const sent = new Set(
    through.filter(({ finding }) => silences.has(finding)).map(({ step }) => proxyOf(step)),
  );
  const allSent = through.length > 0 && through.every(({ step }) => sent.has(proxyOf(step)));
  return allSent && !results.some(({ step, finding }) => step.kind !== 'egress' && answers.has(finding));
}

/**
 * Replaces the finding of an unanswered request by `no_egress` if its sender (this machine or a vantage) has no confirmed
 * internet access by the address family of the request. Otherwise a fault of the sender's network could look like a lock.
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
    // A firewall on our side can reject connections, too. Therefore, a rejection does not confirm an address family by which
    // all requests to the echo endpoint failed.
    const rejected = rejections.has(finding) && !failed.includes(family);
    if (rejected || responses.has(finding)) families.add(family);
  }
  return families;
}

/** Returns the address family of a step that sends a request from outside; null for any step of another kind. */
export function targetFamily(step: PlannedStep): Family | null {
  return 'address' in step ? familyOf(step.address) : null;
}
