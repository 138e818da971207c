import { Button, Title } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconHelpCircle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import classes from './page-header.module.css';
import { usePageTitle } from './use-page-title.ts';

/** The path of the page whose header was mounted last; at first the path at page load. */
let last = window.location.pathname;

/**
 * The header of a page: the title, a Help button with its panel, a warning, a search field, a filter and buttons. The title of a new
 * page takes the focus, unless the focus is already inside the page.
 */
export function PageHeader(props: {
  title: string;
  help?: string;
  /** A warning beside the title. */
  alarm?: ReactNode;
  search?: ReactNode;
  filter?: ReactNode;
  actions?: ReactNode;
}) {
  const { title, help, alarm, search, filter, actions } = props;
  const [open, setOpen] = useState(false);
  const panel = useId();
  usePageTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { pathname } = window.location;
    const isInside = heading.current?.closest('main')?.contains(document.activeElement);
    if (pathname !== last && !isInside) heading.current?.focus({ preventScroll: true });
    last = pathname;
  }, []);
  return (
    <header className={classes.header}>
      <div className={classes.row}>
        <Title order={1} ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
          {title}
        </Title>
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
            {filter}
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
