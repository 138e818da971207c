import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconUpload } from '@tabler/icons-react';
import { type Path, useOpen } from '../dialog-route.tsx';

/** The button of a list that opens the import dialog at `to`. */
export function ImportButton({ to }: { to: Path }) {
  const open = useOpen();
  return (
    <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} {...open(to)}>
      {t.common.import}
    </Button>
  );
}
