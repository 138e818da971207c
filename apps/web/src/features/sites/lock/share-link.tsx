import { Button, TextInput } from '@mantine/core';
import { shareLock } from '@propusk/contract/lock';
import * as t from '@propusk/phrases/console';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatMoment } from '../../../ui/day.tsx';
import { Notice } from '../../../ui/notice.tsx';

/** Creates a link that shows a colleague the lock's lines and nothing else. */
export function ShareLink({ siteId }: { siteId: number }) {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => call(shareLock, { params: { id: siteId } }),
  });
  if (data) {
    return (
      <TextInput
        label={t.lock.shareLink}
        description={`${t.lock.shareHint} ${t.lock.shareUntil(formatMoment(data.expiresAt))}`}
        value={data.url}
        readOnly
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        rightSection={<CopyButton value={data.url} label={t.lock.copyLink} />}
      />
    );
  }
  return (
    <>
      {error && <Notice kind="error">{error.message}</Notice>}
      <Button
        variant="default"
        leftSection={<IconSend size={16} aria-hidden />}
        loading={isPending}
        onClick={() => mutate()}
      >
        {t.lock.share}
      </Button>
    </>
  );
}
