import { ActionIcon, Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconBook2, IconLogout2, IconMenu2 } from '@tabler/icons-react';
import { useState } from 'react';
import { rolesOf, useMe } from '../entities/user/me.tsx';
import { unsaved } from '../forms/unsaved.ts';
import { Logo } from '../frame/logo.tsx';
import { ConfirmDialog, confirm } from '../ui/confirm.ts';
import { lazyDialog } from '../ui/lazy.tsx';
import { Tag } from '../ui/tags.tsx';
import classes from './header.module.css';
import { Keyboard } from './keyboard/keyboard.tsx';
import { landing } from './landing.ts';
import { ProfileLink } from './profile-link.tsx';
import { SchemeMenu } from './scheme-menu.tsx';
import { leave } from './session.ts';

const NavigationDrawer = lazyDialog(() => import('./navigation-drawer.tsx'), 'NavigationDrawer');

/** The dashboard's header. On a phone its buttons are icons, and one of them opens the navigation. */
export function Header() {
  const roles = rolesOf(useMe());
  // The gate would redirect other roles from the owner's page, which unmounts the shell and its state.
  const start = landing(roles, '/dashboard/creator/domains');
  const [menuOpen, setMenuOpen] = useState(false);

  async function exit() {
    const { exitQuestion: text, exitYes: yes, exitNo: no } = t.shell;
    const hint = unsaved.loss();
    const sure = await confirm({ text, hint, yes, no, danger: hint !== undefined });
    if (sure) await leave();
  }

  const tool = {
    variant: 'subtle',
    color: 'gray',
    classNames: { root: classes.tool, label: classes.wide, section: classes.toolIcon },
  } as const;
  return (
    <header className={classes.header}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={40}
        className={classes.burger}
        aria-label={t.shell.openNavigation}
        aria-expanded={menuOpen}
        onClick={() => setMenuOpen(true)}
        {...NavigationDrawer.intent}
      >
        <IconMenu2 size={20} aria-hidden />
      </ActionIcon>
      <Logo to={start.kind === 'go' ? start.to : '/dashboard/creator/domains'} label={t.common.toSites} />
      {roles.includes('ADMIN') && <Tag tone="accent">{t.shell.admin}</Tag>}
      <div className={classes.end}>
        <div className={classes.wide}>
          <ProfileLink wide />
        </div>
        <Keyboard />
        <SchemeMenu />
        <Button
          {...tool}
          component="a"
          href="/help"
          target="_blank"
          rel="noopener"
          aria-label={t.shell.knowledgeBase}
          leftSection={<IconBook2 size={18} stroke={1.75} aria-hidden />}
        >
          {t.shell.knowledgeBase}
        </Button>
        <Button
          {...tool}
          onClick={exit}
          {...ConfirmDialog.intent}
          aria-label={t.shell.exit}
          leftSection={<IconLogout2 size={18} stroke={1.75} aria-hidden />}
        >
          {t.shell.exit}
        </Button>
      </div>
      <NavigationDrawer opened={menuOpen} onClose={() => setMenuOpen(false)} />
    </header>
  );
}
