import { Button, Title } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconHelpCircle } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import classes from './page-header.module.css';
import { usePageTitle } from './use-page-title.ts';

/** The header of a page: the title, a Help button with its panel, a warning, a search field and buttons. */
export function PageHeader(props: {
  title: string;
  help?: string;
  /** A warning beside the title. */
  alarm?: ReactNode;
  search?: ReactNode;
  actions?: ReactNode;
}) {
  const { title, help, alarm, search, actions } = props;
  const [open, setOpen] = useState(false);
  const panel = useId();
  usePageTitle(title);
  return (
    <header className={classes.header}>
      <div className={classes.row}>
        <Title order={1}>{title}</Title>
        {help && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            className={classes.help}
            leftSection={<IconHelpCircle size={16} aria-hidden />}
            aria-expanded={open}
            aria-controls={panel}
            onClick={() => setOpen(!open)}
          >
            {t.common.help}
          </Button>
        )}
        {alarm}
        {(search || actions) && (
          <div className={classes.tools}>
            {search && <div className={classes.search}>{search}</div>}
            {actions}
          </div>
        )}
      </div>
      {help && (
        <section id={panel} hidden={!open} className={classes.panel} aria-label={t.common.help}>
          {help}
        </section>
      )}
    </header>
  );
}
