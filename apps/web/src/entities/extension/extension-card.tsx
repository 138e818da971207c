import { Box, Button } from '@mantine/core';
import { createPairing } from '@propusk/contract/auth';
import * as t from '@propusk/phrases/console';
import { IconLogin2 } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { Card } from '../../ui/card.tsx';
import { Notice } from '../../ui/notice.tsx';
import classes from './extension-card.module.css';
import { ExtensionDownloads } from './extension-downloads.tsx';

/** The browser extension: download, installation steps, and one click to sign in. */
export function ExtensionCard() {
  const { error, isPending, isSuccess, mutate } = useMutation({
    mutationFn: () => call(createPairing, {}),
    // A full page load, because the extension's content script runs only on page load.
    onSuccess: ({ code }) => window.location.assign(`/extension/pair#${code}`),
  });
  return (
    <Card
      title={t.extension.title}
      lead={t.extension.hint}
      footer={
        <>
          <p>{t.extension.signInHint}</p>
          <Button
            leftSection={<IconLogin2 size={16} aria-hidden />}
            loading={isPending || isSuccess}
            onClick={() => mutate()}
          >
            {t.extension.signIn}
          </Button>
          {error && (
            <Box flex="0 0 100%">
              <Notice kind="error">{error.message}</Notice>
            </Box>
          )}
        </>
      }
    >
      <p className={classes.phone}>{t.extension.onPhone}</p>
      <div className={classes.browsers}>
        {(['chromium', 'firefox'] as const).map((browser) => (
          <div key={browser}>
            <h3>{t.extension[browser]}</h3>
            <ol>
              {t.extension.steps[browser].map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </div>
        ))}
        <ExtensionDownloads />
      </div>
    </Card>
  );
}
