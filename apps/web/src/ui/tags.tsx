import type { ReactNode } from 'react';
import classes from './tags.module.css';

/** The meaning of a tag's colour: a name, the company's own, special, an alarm, a warning. */
export type Tone = 'neutral' | 'accent' | 'special' | 'bad' | 'warning';

/** A word in a box. */
export function Tag({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={classes.tag} data-tone={tone}>
      {children}
    </span>
  );
}

type Names = readonly { id: number; name: string }[];

/** Tags of one cell: with more, a row would be higher than its neighbours. */
const SHOWN = 4;
/** Names in a tooltip. */
const NAMED = 20;

/** The names of linked entities as tags, the last one a count of those left out; `none` replaces an empty list. */
export function Tags({ names, none }: { names: Names; none: string }) {
  if (names.length === 0) return <span className={classes.none}>{none}</span>;
  const shown = names.length > SHOWN ? SHOWN - 1 : SHOWN;
  const rest = names.slice(shown);
  return (
    <span className={classes.tags} data-many={names.length > 2 || undefined}>
      {names.slice(0, shown).map(({ id, name }) => (
        <Tag key={id}>{name}</Tag>
      ))}
      {rest.length > 0 && (
        <span className={classes.tag} title={listed(rest)}>
          +{rest.length}
        </span>
      )}
    </span>
  );
}

/** A count of linked entities; its tooltip names them. */
export function Counted({ text, names }: { text: string; names: Names }) {
  return <span title={listed(names) || undefined}>{text}</span>;
}

/** Names for a tooltip, one a line. */
function listed(names: Names): string {
  const lines = names.slice(0, NAMED).map(({ name }) => name);
  return [...lines, ...(names.length > NAMED ? [`+${names.length - NAMED}`] : [])].join('\n');
}
