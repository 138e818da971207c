import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import classes from './definition-card.module.css';

/** A term and its value, with buttons at the end of the line. */
export interface Definition {
  /** The React key of the line; needed only in a list with two equal terms. */
  key?: string;
  term: string;
  value: ReactNode;
  tools?: ReactNode;
}

/** A card with a list of terms and their values. */
export function DefinitionCard(props: {
  title?: string;
  lead?: string;
  rows: readonly Definition[];
  footer?: ReactNode;
}) {
  return (
    <Card {...props}>
      <dl>
        {props.rows.map((row) => (
          <div key={row.key ?? row.term} className={classes.row}>
            <dt>{row.term}</dt>
            <Group component="dd" gap="xs" m={0} wrap="nowrap">
              <span className={classes.value}>{row.value}</span>
              {row.tools && <span className={classes.tools}>{row.tools}</span>}
            </Group>
          </div>
        ))}
      </dl>
    </Card>
  );
}
