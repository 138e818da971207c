import type { ReactNode } from 'react';
import classes from './tags.module.css';

/** The meaning of a tag's colour: a name, the company's own, special. */
export type Tone = 'neutral' | 'accent' | 'special';

/** A word in a box. */
export function Tag({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={classes.tag} data-tone={tone}>
      {children}
    </span>
  );
}

/** The names of linked entities as tags; `none` replaces an empty list. */
export function Tags({ names, none }: { names: readonly { id: number; name: string }[]; none: string }) {
  if (names.length === 0) return <span className={classes.none}>{none}</span>;
  return (
    <span className={classes.tags}>
      {names.map(({ id, name }) => (
        <Tag key={id}>{name}</Tag>
      ))}
    </span>
  );
}
