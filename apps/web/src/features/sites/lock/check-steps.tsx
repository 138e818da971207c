import type { ProbeStep, SiteCheck } from '@propusk/contract/probe';
import * as t from '@propusk/phrases/console';
import { type Check, CheckList } from '../../../ui/check-list.tsx';
import { Fold } from '../../../ui/fold.tsx';

type Proof = Pick<SiteCheck, 'state' | 'steps' | 'proof'>;

/**
 * The steps of a probe in two groups: requests from outside, and requests through the policies' proxies. Each group is
 * folded under one line that sums it up; a failed step stays visible with its advice.
 */
export function CheckSteps(check: Proof) {
  return (['outside', 'through'] as const).map((vantage) => {
    const steps = check.steps.filter((step) => step.vantage === vantage);
    if (steps.length === 0) return null;
    const wrong = steps.filter(isWrong);
    const rest = steps.filter((step) => !isWrong(step));
    return (
      <section key={vantage} aria-label={t.lock[vantage]}>
        <Fold
          state={stateOf(check, vantage)}
          title={glance(check, vantage, steps)}
          always={
            wrong.length > 0 && <CheckList label={t.lock.wrong[vantage]} checks={wrong.map(adviseLast)} />
          }
        >
          {rest.length > 0 && <CheckList label={t.lock[vantage]} checks={rest.map(shown)} />}
        </Fold>
      </section>
    );
  });
}

const isWrong = ({ outcome, advice }: ProbeStep) => outcome === 'failed' || advice !== null;

function stateOf({ state, proof }: Proof, vantage: ProbeStep['vantage']): Check['state'] {
  if (state === 'running') return 'waiting';
  const { passed, of } = proof[vantage];
  if (of === 0) return 'skipped';
  return passed === of ? 'passed' : 'failed';
}

/** The line that sums up a group of steps: the number of passed steps, or the progress of a running probe. */
function glance({ state, proof }: Proof, vantage: ProbeStep['vantage'], steps: readonly ProbeStep[]): string {
  const { passed, of } = proof[vantage];
  if (state === 'running') {
    const done = steps.filter(({ outcome }) => outcome !== 'waiting').length;
    return t.lock.progress[vantage](done, steps.length);
  }
  const isUnresolved = vantage === 'outside' && steps.every(({ detail }) => detail === t.lock.unresolved);
  return isUnresolved ? t.lock.glance.unresolved : t.lock.glance[vantage](passed, of);
}

function shown({ title, outcome, detail }: ProbeStep, place: number): Check {
  return { key: `${place} ${title}`, title, state: outcome, says: t.lock[outcome], detail };
}

/** Consecutive failed steps often have the same advice, so only the last of them shows it. */
function adviseLast(step: ProbeStep, place: number, wrong: readonly ProbeStep[]): Check {
  const repeated = wrong[place + 1]?.advice === step.advice;
  if (step.advice === null || repeated) return shown(step, place);
  const advice = (
    <>
      <b>{t.lock.advice}:</b> {step.advice}
    </>
  );
  return { ...shown(step, place), advice };
}
