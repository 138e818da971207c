import { Button } from '@mantine/core';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { type ReactNode, useState } from 'react';
import { lazyDialog } from '../../ui/lazy.tsx';
import { type Refusal, remedyOf } from './remedy.ts';

const WhyDialog = lazyDialog(() => import('../../entities/site/why-dialog.tsx'), 'WhyDialog');
const CreateSiteDialog = lazyDialog(() => import('../../entities/site/form.tsx'), 'CreateSiteDialog');

/**
 * Returns the button that remedies a refusal, and the dialog that the button opens.
 * @param onOpen called before the dialog opens
 */
export function useRemedy(onOpen?: () => void): {
  button: (refusal: Refusal) => ReactNode;
  dialog: ReactNode;
} {
  const [opened, setOpened] = useState<Refusal | null>(null);
  const close = () => setOpened(null);
  function button(refusal: Refusal) {
    const remedy = remedyOf(refusal);
    if (remedy === null) return null;
    const host = unicodeHost(refusal.host);
    const isAdd = remedy === 'add';
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={isAdd ? t.statistics.addOf(host) : t.statistics.checkOf(refusal.user?.name ?? '', host)}
        onClick={() => {
          onOpen?.();
          setOpened(refusal);
        }}
        {...(isAdd ? CreateSiteDialog : WhyDialog).intent}
      >
        {isAdd ? t.statistics.add : t.statistics.check}
      </Button>
    );
  }
  const { site, user, host } = opened ?? {};
  const dialog = site ? (
    <WhyDialog site={site} person={user ?? undefined} onClose={close} />
  ) : (
    host !== undefined && <CreateSiteDialog address={unicodeHost(host)} onClose={close} />
  );
  return { button, dialog };
}
