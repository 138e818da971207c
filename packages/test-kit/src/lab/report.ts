import type { Layout } from './layout.ts';
import type { Truth } from './truth.ts';

/** The result of one layout. `wrong` states the broken rule, or is null. */
export interface Row {
  readonly layout: Layout;
  readonly truth: Truth;
  readonly verdict: string;
  readonly wrong: string | null;
}

/** Reports an error of the layout: its servers do not behave as its cause requires. */
export function mistake({ cause, tree }: Layout, truth: Truth): string | null {
  const isOpen = truth.discoverable.size + truth.hidden.length > 0;
  if (cause === 'none' && (isOpen || !truth.opens)) return 'a closed layout is open, or closed to users';
  if (cause !== 'none' && !isOpen && truth.opens) return `the layout has no opening by ${cause}`;
  const { missing } = truth;
  // Users must get all content, or none if the cause is a password or a wrong lock.
  return missing.length > 0 && missing.length < Object.keys(tree).length
    ? `users do not get ${missing.join(', ')}`
    : null;
}

/**
 * Compares a verdict with the ground truth. `protected` is wrong while a discoverable URL is open or users do not reach the
 * site. A layout that refuses all strangers and opens for users must be `protected`.
 * @param wanted the only right verdict, where the truth alone would allow several
 */
export function judge(truth: Truth, verdict: string, wanted = verdict): string | null {
  const broken = brokenRule(truth, verdict);
  return broken ?? (verdict === wanted ? null : `judged ${verdict} instead of ${wanted}`);
}

function brokenRule(truth: Truth, verdict: string): string | null {
  const open = [...truth.discoverable.keys()];
  if (open.length > 0) {
    return verdict === 'protected' ? `false protected: strangers read ${open.slice(0, 3).join(', ')}` : null;
  }
  if (!truth.opens) {
    return verdict === 'protected' ? 'false protected: users do not reach the site' : null;
  }
  // If all open URLs are hidden, every verdict is accepted; the matrix counts such layouts.
  if (truth.hidden.length > 0) return null;
  return verdict === 'protected' ? null : `a closed layout is judged ${verdict}`;
}

/** Renders the matrix of a run. */
export function matrix(rows: readonly Row[]): string {
  const lines = rows.map(({ layout, truth, verdict, wrong }) =>
    [
      layout.name.padEnd(32),
      layout.cause.padEnd(24),
      summary(truth).padEnd(34),
      verdict.padEnd(10),
      wrong ?? '',
    ].join(' '),
  );
  const hidden = rows.filter(({ truth }) => truth.discoverable.size === 0 && truth.hidden.length > 0);
  const wrong = rows.filter((row) => row.wrong !== null);
  return `${lines.join('\n')}
${rows.length} layouts, ${rows.filter(({ truth }) => truth.discoverable.size > 0).length} with a discoverable opening, ${hidden.length} with hidden openings only (${hidden.filter(({ verdict }) => verdict === 'protected').length} of them protected), ${wrong.length} judged wrong
`;
}

function summary({ discoverable, hidden, opens }: Truth): string {
  const reasons = new Set(discoverable.values());
  const found = discoverable.size === 0 ? 'none' : `${discoverable.size} (${[...reasons].join(', ')})`;
  return `${found}${hidden.length > 0 ? ` + ${hidden.length} hidden` : ''}${opens ? '' : ', users refused'}`;
}
