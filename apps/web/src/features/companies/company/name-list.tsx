import { Anchor } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import classes from '../../../entities/company/platform.module.css';
import { Card } from '../../../ui/card.tsx';

/** The largest number of rows before the list is expanded. */
const SHOWN = 6;

/** A card with a company's users, sites, policies or proxies. A button expands a long list. */
export function NameList(props: {
  title: string;
  names: readonly { id: number; name: ReactNode; more?: string }[];
  /** The dialog that a name opens; undefined for names that are no links. */
  edit: '/dashboard/admin/users/$id/edit' | '/dashboard/admin/proxies/$id/edit' | undefined;
  footer: ReactNode;
}) {
  const { title, names } = props;
  const [open, setOpen] = useState(false);
  return (
    <Card title={names.length === 0 ? title : `${title} · ${names.length}`} footer={props.footer}>
      {names.length === 0 ? (
        <p className={classes.none}>{t.companyPage.none}</p>
      ) : (
        <ul className={classes.list} aria-label={title}>
          {names.slice(0, open ? undefined : SHOWN).map(({ id, name, more }) => (
            <li key={id}>
              {props.edit ? (
                <Link to={props.edit} params={{ id: `${id}` }}>
                  {name}
                </Link>
              ) : (
                name
              )}
              {more && <small>{more}</small>}
            </li>
          ))}
          {names.length > SHOWN && (
            <li>
              <Anchor component="button" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
                {open ? t.common.less : t.common.showMore(names.length - SHOWN)}
              </Anchor>
            </li>
          )}
        </ul>
      )}
    </Card>
  );
}
