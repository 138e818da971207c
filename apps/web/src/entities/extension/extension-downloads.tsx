import '@mantine/core/styles/Group.css';
import { Button, Group } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconBrandChrome, IconBrandFirefox } from '@tabler/icons-react';
import { downloads } from '../../paths.ts';

const browsers = [
  ['chromium', IconBrandChrome],
  ['firefox', IconBrandFirefox],
] as const;

/** Download links of the extension, one for each browser family. */
export function ExtensionDownloads({ size }: { size?: 'compact-md' }) {
  return (
    <Group gap="xs" justify="inherit">
      {browsers.map(([browser, Icon]) => (
        <Button
          key={browser}
          component="a"
          href={downloads[browser]}
          download
          variant="default"
          size={size}
          leftSection={<Icon size={16} aria-hidden />}
        >
          {t.downloads[browser]}
        </Button>
      ))}
    </Group>
  );
}
