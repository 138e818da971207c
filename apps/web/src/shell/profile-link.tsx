import { Stack, Text, VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { rolesOf, useMe } from '../entities/user/me.tsx';
import { userName } from '../entities/user/names.ts';
import classes from './profile-link.module.css';

/**
 * The signed-in user's name as a link to the personal page. Shown in the header on a wide screen, and above the
 * navigation on a phone.
 */
export function ProfileLink({ wide, onGo }: { wide: boolean; onGo?: () => void }) {
  const me = useMe();
  // For a USER, the personal page is one of the role's pages (spec section 2). For other roles, its path belongs to no role.
  const to = rolesOf(me).includes('USER') ? '/dashboard/user/personal-data' : '/dashboard/personal-data';
  return (
    <Link to={to} className={classes.person} data-wide={wide || undefined} title={me.email} onClick={onGo}>
      <IconUserCircle size={wide ? 18 : 24} stroke={1.75} aria-hidden />
      <Stack gap={0} miw={0}>
        <VisuallyHidden>{t.nav.personalData}: </VisuallyHidden>
        <Text truncate fw={500} lh="20px" lang={userName(me) === t.common.noName ? 'en' : undefined}>
          {userName(me)}
        </Text>
        {!wide && (
          <Text truncate size="xs" c="dimmed">
            {me.email}
          </Text>
        )}
      </Stack>
    </Link>
  );
}
