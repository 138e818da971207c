import type { Finding, StepResult } from './classify-response.ts';
import type { PlannedStep } from './plan.ts';
import { type Family, familyOf, type SelfEgress } from './self-egress-check.ts';

/** Whether this machine got out at all, as far as it is known without the site. */
export type Connectivity = Pick<SelfEgress, 'shown' | 'failed'>;

/** The site, or something before it, answered the request. */
const answers: ReadonlySet<Finding> = new Set(['shut', 'redirect', 'open', 'server_error']);
/** Somebody met the connection: the site, or a firewall of our own that answers in its place. */
const meetings: ReadonlySet<Finding> = new Set(['refused', 'dropped']);
const silences: ReadonlySet<Finding> = new Set(['silent', ...meetings]);

/**
 * Weighs silence: a stranger who gets no answer was turned away only if he was at the door. A family (IPv4, IPv6) by which
 * nothing was seen to get out of this machine shows nothing, and its silences come back as our own. Pure.
 */
export function discountSilence(taken: readonly StepResult[], vantage: Connectivity): StepResult[] {
  const shown = confirmedFamilies(taken, vantage);
  return taken.map((one) => {
    const family = targetFamily(one.step);
    if (family === null || shown.has(family) || !silences.has(one.finding)) return one;
    const detail = `${one.detail}, но и сама проверка по IPv${family} никуда не дозвалась`;
    return { ...one, finding: 'unsent', detail };
  });
}

function confirmedFamilies(taken: readonly StepResult[], { shown, failed }: Connectivity): Set<Family> {
  const families = new Set(shown);
  for (const { step, finding } of taken) {
    const family = targetFamily(step);
    if (family === null) continue;
    // What was refused while our own echo is out of reach too may have been refused on this side.
    const met = meetings.has(finding) && !failed.includes(family);
    if (met || answers.has(finding)) families.add(family);
  }
  return families;
}

/** The family by which a stranger's request goes; null for other steps. */
export function targetFamily(step: PlannedStep): Family | null {
  return 'address' in step ? familyOf(step.address) : null;
}
