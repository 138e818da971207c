import { Button, type ButtonProps } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconPlus, IconUpload } from '@tabler/icons-react';
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

/** The button of a list that opens the import dialog at `to`. */
export function ImportButton({ to }: { to: Path }) {
  const open = useOpen();
  return (
    <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} {...open(to)}>
      {t.common.import}
    </Button>
  );
}
