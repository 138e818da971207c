import { Stack, Text, VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { rolesOf, useMe } from '../common/me.tsx';
import { userName } from '../common/names.ts';
import { paths } from '../paths.ts';
import classes from './profile-link.module.css';

/**
 * The signed-in user's name, linked to the personal page: in the header of a wide screen, above the navigation on a
 * phone.
 */
export function ProfileLink({ wide, onGo }: { wide: boolean; onGo?: () => void }) {
  const me = useMe();
  // Agents have the page in their own area (spec section 2); other roles have one outside the areas.
  const to = rolesOf(me).includes('USER') ? paths.userPersonalData : paths.personalData;
  return (
    <Link to={to} className={classes.person} data-wide={wide || undefined} title={me.email} onClick={onGo}>
      <IconUserCircle size={wide ? 18 : 24} stroke={1.75} aria-hidden />
      <Stack gap={0} miw={0}>
        <VisuallyHidden>{t.nav.personalData}: </VisuallyHidden>
        <Text truncate fw={500}>
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
