import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconPlus } from '@tabler/icons-react';
import type { LazyDialog } from './lazy.tsx';

/** The "add" button of a list. The key `n` presses it too. */
export function AddButton(props: { opens: Pick<LazyDialog<never>, 'intent'>; onClick: () => void }) {
  return (
    <Button
      aria-keyshortcuts="n"
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={props.onClick}
      {...props.opens.intent}
    >
      {t.common.add}
    </Button>
  );
}
