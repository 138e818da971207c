import * as t from '@propusk/phrases/console';
import { type ReactNode, useState } from 'react';
import classes from './tags.module.css';
import { TwoLines } from './two-lines.tsx';

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

/** The names of linked entities as tags. The last tag shows how many names are hidden, and a click shows them. */
export function Tags({ names, none }: { names: Names; none: string }) {
  const [open, setOpen] = useState(false);
  if (names.length === 0) return <span className={classes.none}>{none}</span>;
  const isLong = names.length > SHOWN;
  const shown = isLong && !open ? names.slice(0, SHOWN - 1) : names;
  const rest = names.length - SHOWN + 1;
  return (
    <span className={classes.tags} data-many={names.length > 2 || undefined}>
      {shown.map(({ id, name }) => (
        <Tag key={id}>{name}</Tag>
      ))}
      {isLong && (
        <button
          type="button"
          className={`${classes.tag} ${classes.button}`}
          aria-expanded={open}
          aria-label={open ? t.common.less : t.common.showMore(rest)}
          title={open ? undefined : listed(names.slice(SHOWN - 1))}
          onClick={() => setOpen(!open)}
        >
          {open ? t.common.less : `+${rest}`}
        </button>
      )}
    </span>
  );
}

/** Counts of two kinds of linked entities, in two lines. A click also shows the names. */
export function Counted({ lines }: { lines: readonly [line: Count, line: Count] }) {
  const [open, setOpen] = useState(false);
  const text = ({ text: count, names }: Count) =>
    open && names.length > 0 ? `${count}: ${names.map(({ name }) => name).join(', ')}` : count;
  const [first, second] = lines;
  const content = <TwoLines first={text(first)} second={text(second)} />;
  if (first.names.length + second.names.length === 0) return content;
  return (
    <button
      type="button"
      className={classes.button}
      aria-expanded={open}
      title={open ? undefined : listed([...first.names, ...second.names])}
      onClick={() => setOpen(!open)}
    >
      {content}
    </button>
  );
}

interface Count {
  text: string;
  names: Names;
}

/** The text of a tooltip with one name on each line. */
function listed(names: Names): string {
  const lines = names.slice(0, NAMED).map(({ name }) => name);
  return [...lines, ...(names.length > NAMED ? [`+${names.length - NAMED}`] : [])].join('\n');
}
