import { Button } from '@mantine/core';
import { createPairing } from '@propusk/contract/auth';
import * as t from '@propusk/phrases/console';
import { IconLogin2 } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { call } from '../api/call.ts';
import { paths } from '../paths.ts';
import { Notice } from '../ui/notice.tsx';
import classes from './extension-card.module.css';
import { ExtensionDownloads } from './extension-downloads.tsx';

/** The browser extension: download, installation steps, and one click to sign in. */
export function ExtensionCard() {
  const title = useId();
  const { error, isPending, isSuccess, mutate } = useMutation({
    mutationFn: () => call(createPairing, {}),
    // A full page load: the extension's content script runs when the page opens.
    onSuccess: ({ code }) => window.location.assign(`${paths.pairing}#${code}`),
  });
  return (
    <section className={classes.card} aria-labelledby={title}>
      <header className={classes.header}>
        <h2 id={title}>{t.extension.title}</h2>
        <p>{t.extension.hint}</p>
      </header>
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
      </div>
      <div className={classes.downloads}>
        <ExtensionDownloads />
      </div>
      <footer className={classes.footer}>
        <p>{t.extension.signInHint}</p>
        <Button
          leftSection={<IconLogin2 size={16} aria-hidden />}
          loading={isPending || isSuccess}
          onClick={() => mutate()}
        >
          {t.extension.signIn}
        </Button>
        {error && (
          <div className={classes.failure}>
            <Notice kind="error">{error.message}</Notice>
          </div>
        )}
      </footer>
    </section>
  );
}
