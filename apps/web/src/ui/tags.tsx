import type { ReactNode } from 'react';
import classes from './tags.module.css';

/** The meaning of a tag's colour. */
export type Tone = 'neutral' | 'accent' | 'special' | 'bad' | 'warning';

/** A short text in a coloured box. */
export function Tag({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={classes.tag} data-tone={tone}>
      {children}
    </span>
  );
}

type Names = readonly { id: number; name: string }[];

/** The largest number of tags in a cell. With more, its row would be higher than other rows. */
const SHOWN = 4;
/** The largest number of names in a tooltip. */
const NAMED = 20;

/** The names of linked entities as tags. The last tag counts the omitted names; an empty list shows `none`. */
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

/** A count of linked entities. Its tooltip lists their names. */
export function Counted({ text, names }: { text: string; names: Names }) {
  return <span title={listed(names) || undefined}>{text}</span>;
}

/** The text of a tooltip with one name on each line. */
function listed(names: Names): string {
  const lines = names.slice(0, NAMED).map(({ name }) => name);
  return [...lines, ...(names.length > NAMED ? [`+${names.length - NAMED}`] : [])].join('\n');
}
