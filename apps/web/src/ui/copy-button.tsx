import { ActionIcon } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import * as t from '@propusk/phrases/console';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import { toastFailure } from './toast.ts';

/** Copies a value to the clipboard. `copied` is true for two seconds after a success; a toast reports a failure. */
export function useCopy(value: string): { copied: boolean; copy: () => void } {
  const { copied, copy, error } = useClipboard();
  useEffect(() => {
    // On plain http from another machine the browser offers no clipboard.
    if (error) toastFailure(t.copying.failed);
  }, [error]);
  return { copied, copy: () => copy(value) };
}

/** An icon button that copies a value and confirms it for two seconds. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const { copied, copy } = useCopy(value);
  return (
    <ActionIcon
      variant="subtle"
      color={copied ? 'pass' : 'gray'}
      aria-label={copied ? t.common.copied : label}
      title={copied ? t.common.copied : label}
      onClick={copy}
    >
      {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
    </ActionIcon>
  );
}
