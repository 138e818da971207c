import { Text } from '@mantine/core';
import type { SiteCheck } from '@propusk/contract/lock';
import * as t from '@propusk/phrases/console';
import { Outcome } from '../../../ui/outcome.tsx';
import { verdicts } from './verdicts.ts';

/** The verdict of a probe: its meaning, and the advice unless a step below shows the same. */
export function VerdictOutcome({ check }: { check: SiteCheck }) {
  const verdict = check.verdict ?? 'unknown';
  const { tone, Icon } = verdicts[verdict];
  return (
    <Outcome tone={tone} icon={<Icon size={22} stroke={1.75} />} title={t.sites.verdicts[verdict]}>
      {check.meaning && <Text component="span">{check.meaning}</Text>}
      {check.advice && check.steps.every(({ advice }) => advice !== check.advice) && (
        <Text component="span">
          <b>{t.lock.advice}:</b> {check.advice}
        </Text>
      )}
    </Outcome>
  );
}
