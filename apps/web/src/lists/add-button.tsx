import { Button, type ButtonProps } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconPlus } from '@tabler/icons-react';
import { type Path, useOpen } from '../dialog-route.tsx';

/** The "add" button of a list, which opens the dialog at `to`. The key `n` presses it too. */
export function AddButton({ to, ...props }: { to: Path } & Pick<ButtonProps, 'variant'>) {
  const open = useOpen();
  return (
    <Button aria-keyshortcuts="n" leftSection={<IconPlus size={16} aria-hidden />} {...props} {...open(to)}>
      {t.common.add}
    </Button>
  );
}
