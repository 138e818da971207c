import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconBrandChrome, IconBrandFirefox } from '@tabler/icons-react';
import { downloads } from '../paths.ts';
import classes from './extension-downloads.module.css';

/** Download links of the extension, one for each browser family. */
export function ExtensionDownloads({ size }: { size?: 'compact-md' }) {
  return (
    <div className={classes.downloads}>
      <Button
        component="a"
        href={downloads.chromium}
        download
        variant="default"
        size={size}
        leftSection={<IconBrandChrome size={16} aria-hidden />}
      >
        {t.extension.downloadChromium}
      </Button>
      <Button
        component="a"
        href={downloads.firefox}
        download
        variant="default"
        size={size}
        leftSection={<IconBrandFirefox size={16} aria-hidden />}
      >
        {t.extension.downloadFirefox}
      </Button>
    </div>
  );
}
