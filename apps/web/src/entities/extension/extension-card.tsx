import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconPuzzle } from '@tabler/icons-react';
import { Card } from '../../ui/card.tsx';
import classes from './extension-card.module.css';

/** The browser extension, with a link to the page that installs it and signs in to it. */
export function ExtensionCard() {
  return (
    <Card
      title={t.extension.title}
      lead={t.extension.hint}
      footer={
        <Button component="a" href="/extension/pair" leftSection={<IconPuzzle size={16} aria-hidden />}>
          {t.extension.connect}
        </Button>
      }
    >
      <p className={classes.phone}>{t.extension.onPhone}</p>
    </Card>
  );
}
