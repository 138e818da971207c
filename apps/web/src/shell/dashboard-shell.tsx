import '../theme/mantine-dashboard.ts';
import { ActionIcon, Button, Drawer } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { IconBook2, IconLogout2, IconMenu2 } from '@tabler/icons-react';
import { Link, Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { rolesOf, useMe } from '../common/me.tsx';
import { userName } from '../common/names.ts';
import { t } from '../dictionary/dictionary.ts';
import { paths } from '../paths.ts';
import { confirm } from '../ui/confirm.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Logo } from '../ui/logo.tsx';
import { Tag } from '../ui/tags.tsx';
import classes from './dashboard-shell.module.css';
import { Gate } from './gate.tsx';
import { Navigation } from './navigation.tsx';
import { leave } from './session.ts';

/** The dashboard: header, navigation by role, and the page. */
export function DashboardShell() {
  return (
    <Gate>
      <Dashboard />
    </Gate>
  );
}

function Dashboard() {
  const user = useMe();
  const roles = rolesOf(user);
  const [open, setOpen] = useState(false);

  async function exit() {
    const sure = await confirm({ text: t.shell.exitQuestion, yes: t.shell.exitYes, no: t.shell.exitNo });
    if (sure) await leave();
  }

  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        {t.shell.skip}
      </a>
      <header className={classes.header}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={40}
          className={classes.burger}
          aria-label={t.shell.openNavigation}
          aria-expanded={open}
          onClick={() => setOpen(true)}
        >
          <IconMenu2 size={20} aria-hidden />
        </ActionIcon>
        <Link to={paths.creatorSites} className={classes.logo} aria-label={t.shell.toSites}>
          <Logo name={t.product} />
        </Link>
        {roles.includes('ADMIN') && <Tag tone="accent">{t.shell.admin}</Tag>}
        <div className={classes.end}>
          <span className={classes.me} title={user.email}>
            {userName(user)}
          </span>
          <Button
            component="a"
            href={paths.help}
            target="_blank"
            rel="noopener"
            variant="subtle"
            color="gray"
            aria-label={t.shell.knowledgeBase}
            leftSection={<IconBook2 size={18} stroke={1.75} aria-hidden />}
            classNames={{ root: classes.tool, label: classes.wide, section: classes.toolIcon }}
          >
            {t.shell.knowledgeBase}
          </Button>
          <Button
            variant="subtle"
            color="gray"
            onClick={exit}
            aria-label={t.shell.exit}
            leftSection={<IconLogout2 size={18} stroke={1.75} aria-hidden />}
            classNames={{ root: classes.tool, label: classes.wide, section: classes.toolIcon }}
          >
            {t.shell.exit}
          </Button>
        </div>
      </header>
      <aside className={classes.side}>
        <Navigation roles={roles} />
      </aside>
      <Drawer opened={open} onClose={() => setOpen(false)} size={280} title={t.product} padding="md">
        <Navigation roles={roles} onGo={() => setOpen(false)} />
      </Drawer>
      <main id="content" className={classes.content} tabIndex={-1}>
        <Outlet />
      </main>
      <ConfirmDialog />
      <Notifications position="bottom-right" limit={3} notificationMaxHeight={240} />
    </div>
  );
}
