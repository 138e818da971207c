import { Button, Loader, Stack, Text } from '@mantine/core';
import { extensionBuilds } from '@propusk/contract/extension-builds';
import * as t from '@propusk/phrases/console';
import { IconDeviceMobile, IconDownload, IconExternalLink, IconPuzzle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { Notice } from '../../ui/notice.tsx';
import { State } from '../../ui/state.tsx';

const { userAgent } = navigator;
/** Whether this is a phone or tablet, on which the extension cannot be installed. An iPad calls itself a Macintosh. */
export const isPhone =
  /Android|iPhone|Mobile/.test(userAgent) || (/Macintosh/.test(userAgent) && navigator.maxTouchPoints > 1);
const browser = /Firefox\//.test(userAgent) ? 'firefox' : 'chromium';

/** What a user of a phone can do here. */
export function OnPhone() {
  return (
    <State
      alone
      icon={<IconDeviceMobile size={24} />}
      title={t.pairing.onPhone}
      hint={t.extension.onPhone}
      action={
        <Button component={Link} to="/" variant="default">
          {t.pairing.toConsole}
        </Button>
      }
    />
  );
}

/**
 * The installation of the extension in the browser in use: from its store, as a signed file, or from an archive.
 * @param next the button for a user who has installed it
 */
export function InstallStep({ next }: { next: ReactNode }) {
  const { data, isLoading } = useQuery(queryOptions(extensionBuilds, {}));
  if (isLoading) return <State icon={<Loader size="sm" />} title={t.pairing.looking} />;
  const store = data?.stores[browser];
  const xpi = browser === 'firefox' && data?.signed?.mozilla ? '/downloads/propusk.xpi' : undefined;
  const ready = store ?? xpi;
  return (
    <State
      alone
      icon={<IconPuzzle size={24} />}
      title={t.pairing.install}
      hint={t.pairing[ready ? 'installHint' : 'installByHandHint'](t.extension[browser])}
      action={
        <Stack align="center" w="100%">
          {ready ? (
            <Button
              component="a"
              href={ready}
              {...(store && { target: '_blank', rel: 'noreferrer' })}
              leftSection={<IconExternalLink size={16} aria-hidden />}
            >
              {t.pairing.add}
            </Button>
          ) : (
            <>
              <Stack component="ol" gap="xs" ta="start" maw={440} m={0} ps={20}>
                {t.extension.steps[browser].map((step) => (
                  <li key={step}>{step}</li>
                ))}
              </Stack>
              <Button
                component="a"
                href={`/downloads/propusk-${browser}.zip`}
                download
                leftSection={<IconDownload size={16} aria-hidden />}
              >
                {t.pairing.download}
              </Button>
            </>
          )}
          {next}
          <Text c="dimmed" size="sm" maw={440}>
            {t.pairing.byPolicy}
          </Text>
        </Stack>
      }
    />
  );
}

/** Tells the user to replace a build whose id or version differs from those of the builds that the console serves. */
export function OldBuild({ ids }: { ids: string | undefined }) {
  const { data } = useQuery(queryOptions(extensionBuilds, {}));
  if (!data?.signed) return null;
  const { signed, stores } = data;
  const store = stores[browser]?.split('/').findLast(Boolean);
  const isForeign = ids !== undefined && ![signed.chromiumId, signed.firefoxId, store].includes(ids);
  const isOther = document.documentElement.dataset.propuskExtension !== signed.version && store === undefined;
  return isForeign || isOther ? <Notice kind="warning">{t.pairing.oldBuild}</Notice> : null;
}
