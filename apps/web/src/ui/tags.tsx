import type { ReactNode } from 'react';
import classes from './tags.module.css';

/** What a tag says by its colour: a name, the company's own, something special. */
export type Tone = 'neutral' | 'accent' | 'special';

/** A word in a box. */
export function Tag({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={classes.tag} data-tone={tone}>
      {children}
    </span>
  );
}

/** Names of what a row is linked to, a tag each; `none` says what it means that there are not any. */
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
