import '@mantine/core/styles/Drawer.css';
import { Drawer } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import classes from './dashboard-shell.module.css';
import { Navigation } from './navigation.tsx';
import { ProfileLink } from './profile-link.tsx';

/** The navigation as a drawer, for narrow screens. */
export function NavigationDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer opened={opened} onClose={onClose} size={288} title={t.product} padding="md">
      <div className={classes.person}>
        <ProfileLink wide={false} onGo={onClose} />
      </div>
      <Navigation onGo={onClose} />
    </Drawer>
  );
}
