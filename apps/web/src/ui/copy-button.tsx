import { ActionIcon } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { toastFailure } from './toast.ts';

/** Copies a value to the clipboard. `copied` is true for two seconds after a success; a toast reports a failure. */
export function useCopy(value: string): { copied: boolean; copy: () => Promise<void> } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 2000);
    return () => window.clearTimeout(timer);
  }, [copied]);

  async function copy() {
    try {
      // On plain http from another machine the browser offers no clipboard.
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      toastFailure(t.copying.failed);
    }
  }
  return { copied, copy };
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
