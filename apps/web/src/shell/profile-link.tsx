import { VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { rolesOf, useMe } from '../common/me.tsx';
import { userName } from '../common/names.ts';
import { paths } from '../paths.ts';
import classes from './profile-link.module.css';

/** Who is signed in, and the way to their own data. In the header of a wide screen, on a phone above the navigation. */
export function ProfileLink({ wide, onGo }: { wide: boolean; onGo?: () => void }) {
  const me = useMe();
  // An agent's personal data stand in the agent's own area (spec section 2); everybody else has a page beside the areas.
  const to = rolesOf(me).includes('USER') ? paths.userPersonalData : paths.personalData;
  return (
    <Link to={to} className={classes.person} data-wide={wide || undefined} title={me.email} onClick={onGo}>
      <IconUserCircle size={wide ? 18 : 24} stroke={1.75} aria-hidden />
      <span className={classes.text}>
        <VisuallyHidden>{t.personal.title}: </VisuallyHidden>
        <span className={classes.name}>{userName(me)}</span>
        {!wide && <span className={classes.email}>{me.email}</span>}
      </span>
    </Link>
  );
}
