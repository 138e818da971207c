import { Anchor, Text, VisuallyHidden } from '@mantine/core';
import type { ExtensionState } from '@propusk/contract/extension';
import type { User } from '@propusk/contract/me';
import type { Role } from '@propusk/contract/roles';
import * as t from '@propusk/phrases/console';
import { lastDay } from '@propusk/phrases/when';
import { IconPuzzle, IconShieldCheck } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { CompanyCell } from '../../entities/company/company-cell.tsx';
import { isOver, nearestEnd, ownZone, sayDay } from '../../entities/policy/moments.ts';
import { rolesOf } from '../../entities/user/me.tsx';
import { userName } from '../../entities/user/names.ts';
import { dayColumns, visitColumn } from '../../lists/day-columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { formatDay, formatMoment } from '../../ui/day.tsx';
import { Tag, Tags } from '../../ui/tags.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';
import { sayExtension } from './say-extension.ts';
import classes from './user-columns.module.css';

const person: Column<User> = {
  key: 'name',
  title: t.users.person,
  main: true,
  lines: 2,
  render: (user) => <Person user={user} name={nameOf(user)} />,
  renderOpening: (user, opener) => <Person user={user} name={opener(nameOf(user))} />,
};
const roles: Column<User> = {
  key: 'roles',
  title: t.users.roles,
  width: 'clamp(118px, 16cqi, 140px)',
  render: (user) => <Roles roles={rolesOf(user)} />,
};
const policies: Column<User> = {
  key: 'politics',
  title: t.users.policies,
  render: ({ politics }) => {
    const end = nearestEnd(politics);
    return (
      <>
        <Tags names={politics} none={t.users.noPolicies} />
        {end && (
          <Text size="xs" c="dimmed" title={formatMoment(end)}>
            {t.times[isOver(end) ? 'overSince' : 'to'](sayDay(end, ownZone))}
          </Text>
        )}
      </>
    );
  },
};
const company: Column<User> = {
  key: 'company',
  title: t.users.company,
  width: '16%',
  render: (user) => (user.company ? <CompanyCell company={user.company} /> : t.common.none),
};

function nameOf(user: User): ReactNode {
  const name = userName(user);
  return name === t.common.noName ? <span lang="en">{name}</span> : name;
}

/** A cell with a user's name and a mailto link. */
function Person({ user, name }: { user: User; name: ReactNode }) {
  return (
    <TwoLines
      first={
        <>
          {name}
          {user.secondFactor && <Mark Icon={IconShieldCheck} text={t.factor.mark} />}
          {user.extension && <ExtensionMark {...user.extension} />}
          {user.invitation && <InvitationTag {...user.invitation} />}
          {user.suspension && ' '}
          {user.suspension && <Tag tone="warning">{t.users.isSuspended(dayOf(user.suspension))}</Tag>}
        </>
      }
      second={
        <Anchor href={`mailto:${user.email}`} underline="hover">
          {user.email.split(/(?=@)/).map((part) => (
            <Fragment key={part}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </Anchor>
      }
    />
  );
}

/** The last day of a suspension; null without an end. */
const dayOf = ({ until }: { until: string | null }) => until && lastDay(until);

/** Marks a user who has not accepted an invitation yet. */
function InvitationTag({ expiresAt }: { expiresAt: string | null }) {
  return (
    <>
      {' '}
      <Tag tone={expiresAt === null ? 'warning' : 'neutral'}>
        {expiresAt === null ? t.invitations.ended : t.invitations.until(formatDay(expiresAt))}
      </Tag>
    </>
  );
}

/** The names of a user's roles. Each has a tooltip that lists what the role may do. */
function Roles({ roles: held }: { roles: readonly Role[] }) {
  if (held.length === 0) return t.common.none;
  return held.map((role, place) => (
    <Fragment key={role}>
      {place > 0 && ', '}
      <abbr className={classes.role} title={t.users.may[role]}>
        {t.users.role[role]}
      </abbr>
      {role === 'CREATOR' && ` (${t.users.owner})`}
    </Fragment>
  ));
}

/** Marks a user whose extension is signed in, and one in whose browser it cannot work. */
function ExtensionMark(extension: ExtensionState) {
  const { proxyHeldBy } = extension;
  if (!proxyHeldBy) return <Mark Icon={IconPuzzle} text={sayExtension(extension)} />;
  return (
    <>
      {' '}
      <Tag tone="warning">{t.users.proxyHeld[proxyHeldBy]}</Tag>
    </>
  );
}

/** A dimmed icon with a text. Users without the property have no icon. */
function Mark({ Icon, text }: { Icon: typeof IconPuzzle; text: string }) {
  return (
    <span className={classes.mark} title={text}>
      <Icon size={16} aria-hidden />
      <VisuallyHidden>{text}</VisuallyHidden>
    </span>
  );
}

/** The columns of a company's users. */
export const userColumns = [person, roles, policies, visitColumn<User>(), ...dayColumns<User>()];

/** The columns of all users, with their companies. */
export const allUserColumns = [person, company, roles, policies, ...dayColumns<User>()];
