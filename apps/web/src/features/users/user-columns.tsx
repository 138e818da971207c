import { Anchor } from '@mantine/core';
import type { User } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { IconShieldCheck } from '@tabler/icons-react';
import { CompanyCell } from '../../common/company-cell.tsx';
import { dayColumns } from '../../common/day-columns.tsx';
import { rolesOf } from '../../common/me.tsx';
import { userName } from '../../common/names.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Tags } from '../../ui/tags.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';
import classes from './user-columns.module.css';

const person: Column<User> = {
  key: 'name',
  title: t.users.person,
  main: true,
  lines: 2,
  render: (user) => (
    <TwoLines
      first={
        <>
          {userName(user)}
          {user.secondFactor && <FactorMark />}
        </>
      }
      second={
        <Anchor href={`mailto:${user.email}`} underline="hover">
          {user.email}
        </Anchor>
      }
    />
  ),
};
const roles: Column<User> = {
  key: 'roles',
  title: t.users.roles,
  width: '132px',
  render: (user) =>
    rolesOf(user)
      .map((role) => t.users.role[role])
      .join(', ') || t.common.none,
};
const policies: Column<User> = {
  key: 'politics',
  title: t.users.policies,
  render: (user) => <Tags names={user.politics} none={t.users.noPolicies} />,
};
const company: Column<User> = {
  key: 'company',
  title: t.users.company,
  width: '16%',
  render: (user) => (user.company ? <CompanyCell company={user.company} /> : t.common.none),
};

/** Dimmed: a missing second factor is the owner's concern, shown with the company's requirement. */
function FactorMark() {
  return (
    <span className={classes.factor} title={t.factor.mark}>
      <IconShieldCheck size={16} aria-hidden />
      <span className={classes.said}>{t.factor.mark}</span>
    </span>
  );
}

/** The columns of a company's users. */
export const userColumns = [person, roles, policies, ...dayColumns<User>()];

/** The columns of all users, with their companies. */
export const allUserColumns = [person, company, roles, policies, ...dayColumns<User>()];
