import '@mantine/core/styles/Progress.css';
import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Tariff } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { limited } from './plan-text.ts';

/** A company's usage of each resource, with a bar if the plan limits it. */
export function Usage({ plan, used }: Pick<Tariff, 'plan' | 'used'>) {
  return (
    <Stack component="ul" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
      {limited.map((kind) => {
        const limit = plan[kind];
        const full = limit !== null && used[kind] >= limit;
        return (
          <li key={kind}>
            <Group justify="space-between" mb={6}>
              <span>{t.plan.names[kind]}</span>
              <Text span fw={full ? 500 : 400} c={full ? 'var(--warning-text)' : 'dimmed'}>
                {t.plan.figure(used[kind], limit)}
              </Text>
            </Group>
            {limit !== null && (
              <Progress
                aria-label={t.plan.names[kind]}
                color={full ? 'var(--warning-text)' : undefined}
                value={Math.min(100, (100 * used[kind]) / limit)}
              />
            )}
          </li>
        );
      })}
    </Stack>
  );
}
