import * as t from '@propusk/phrases/console';
import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import classes from './platform.module.css';

/** A card with the names of a company's rows of one kind, and their number. A long list scrolls. */
export function NameList(props: {
  title: string;
  names: readonly { id: number; name: string; more?: string }[];
  footer: ReactNode;
}) {
  const { title, names } = props;
  return (
    <Card title={names.length === 0 ? title : `${title} · ${names.length}`} footer={props.footer}>
      {names.length === 0 ? (
        <p className={classes.none}>{t.companyPage.none}</p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls a long list
        <ul className={classes.list} aria-label={title} tabIndex={0}>
          {names.map(({ id, name, more }) => (
            <li key={id}>
              {name}
              {more && <small>{more}</small>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
