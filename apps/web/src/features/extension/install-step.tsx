import { Button, Loader, Stack, Text } from '@mantine/core';
import { extensionBuilds } from '@propusk/contract/extension-builds';
import * as t from '@propusk/phrases/console';
import { IconDeviceMobile, IconDownload, IconExternalLink, IconPuzzle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { token } from '../../api/token.ts';
import { Notice } from '../../ui/notice.tsx';
import { State } from '../../ui/state.tsx';

const { userAgent } = navigator;
/** Whether this is a phone or tablet, on which the extension cannot be installed. */
export const isPhone = /Android|iPhone|iPad|Mobile/.test(userAgent);
const inUse = /Firefox\//.test(userAgent) ? 'firefox' : 'chromium';

/** The addresses of the extension; undefined while they load, and for a user who is signed out. */
function useBuilds() {
  return useQuery({ ...queryOptions(extensionBuilds, {}), enabled: token.read() !== null });
}

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
  const [browser, setBrowser] = useState<'chromium' | 'firefox'>(inUse);
  const { data, isLoading } = useBuilds();
  if (isLoading) return <State icon={<Loader size="sm" />} title={t.pairing.looking} />;
  const store = data?.stores[browser];
  const xpi = browser === 'firefox' && data?.signed?.mozilla ? '/downloads/propusk.xpi' : undefined;
  const ready = store ?? xpi;
  const other = browser === 'chromium' ? 'firefox' : 'chromium';
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
          <Button variant="subtle" size="compact-sm" onClick={() => setBrowser(other)}>
            {t.pairing.otherBrowser(t.extension[other])}
          </Button>
        </Stack>
      }
    />
  );
}

/** Tells the user to remove a build with another id than the one that the installation signs or names in a store. */
export function OldBuild() {
  const { data } = useBuilds();
  const ids = document.documentElement.dataset.propuskId?.split(' ') ?? [];
  const { signed, stores } = data ?? {};
  if (!signed || ids.length === 0) return null;
  const isKnown = (id: string) =>
    [signed.chromiumId, signed.firefoxId, stores?.chromium?.split('/').findLast(Boolean)].includes(id);
  if (ids.every(isKnown)) return null;
  return <Notice kind="warning">{t.pairing.oldBuild}</Notice>;
}
