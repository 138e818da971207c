import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { t } from '../dictionary/dictionary.ts';
import { State } from '../ui/state.tsx';

/** Where a page would be that threw. The shell around it stays. */
export function Crashed() {
  return (
    <State
      alert
      icon={<IconAlertTriangle size={24} />}
      title={t.failures.unexpected}
      hint={t.failures.unexpectedHint}
      action={<Button onClick={() => window.location.reload()}>{t.failures.reload}</Button>}
    />
  );
}
