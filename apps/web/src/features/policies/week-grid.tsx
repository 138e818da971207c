/* oxlint-disable jsx-a11y/prefer-tag-over-role -- `display: grid` would remove the roles of a table's elements */
import * as t from '@propusk/phrases/console';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { hoursOf, oddOf, painted, type Windows, windowsOf } from '../../entities/policy/windows.ts';
import classes from './times.module.css';

/** A drag, or a selection by Shift and arrows: its first hour, whether it opens or closes hours, and the windows as they were
 * before it. */
interface Stroke {
  from: number;
  opens: boolean;
  before: Windows | null;
}

/**
 * Weekly windows as a grid of hours. A click or a drag opens or closes hours; so do the space bar, and Shift with the arrow keys,
 * starting at the focused hour. Windows that do not begin and end at full hours stay unchanged.
 */
export function WeekGrid(props: {
  labelledBy: string;
  /** Null for no hours at all. */
  windows: Windows | null;
  onWindows: (windows: Windows | null) => void;
}) {
  const { windows, onWindows } = props;
  const hours = hoursOf(windows);
  const [active, setActive] = useState(9);
  const drag = useRef<Stroke>(null);
  const extension = useRef<Stroke>(null);
  const strokeAt = (from: number, opens: boolean): Stroke => ({ from, opens, before: windows });
  const paint = ({ from, opens, before }: Stroke, to: number) =>
    onWindows(windowsOf(painted(hoursOf(before), from, to, opens), oddOf(before)));

  function onPointer(event: PointerEvent) {
    // A touch is captured by its first cell, so its target is not the cell under the finger.
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const hour = Number(under?.closest<HTMLElement>('[data-hour]')?.dataset.hour ?? Number.NaN);
    if (Number.isNaN(hour)) return;
    if (event.type === 'pointerdown' && event.button === 0) {
      drag.current = strokeAt(hour, !hours[hour]);
      extension.current = null;
      setActive(hour);
    }
    if (drag.current !== null) paint(drag.current, hour);
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const column = active % 24;
    const rows = { ArrowUp: -24, ArrowDown: 24 }[event.key];
    const columns = { ArrowLeft: -1, ArrowRight: 1, Home: -column, End: 23 - column }[event.key];
    const next = active + (rows ?? columns ?? 0);
    if (event.key !== ' ' && rows === undefined && columns === undefined) return;
    event.preventDefault();
    if (hours[next] === undefined || (columns && Math.floor(next / 24) !== Math.floor(active / 24))) return;
    if (event.key === ' ') paint(strokeAt(active, !hours[active]), active);
    if (!event.shiftKey) extension.current = null;
    else paint((extension.current ??= strokeAt(active, hours[active] === true)), next);
    setActive(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-hour="${next}"]`)?.focus();
  }
  return (
    <div
      role="grid"
      tabIndex={-1}
      aria-labelledby={props.labelledBy}
      aria-multiselectable
      className={classes.grid}
      onPointerDown={onPointer}
      onPointerMove={onPointer}
      onPointerUp={() => (drag.current = null)}
      onPointerCancel={() => {
        // This touch scrolls the dialog, so it does not change hours.
        if (drag.current !== null) onWindows(drag.current.before);
        drag.current = null;
      }}
      onKeyDown={onKeyDown}
    >
      {t.times.days.map((day, row) => (
        <div key={day} role="row" className={classes.day}>
          <span role="rowheader">{day}</span>
          {hours.slice(row * 24, row * 24 + 24).map((isOpen, hour) => (
            <span
              key={hour} // oxlint-disable-line react/no-array-index-key -- the hours of a day keep their order
              role="gridcell"
              tabIndex={row * 24 + hour === active ? 0 : -1}
              aria-selected={isOpen}
              aria-label={`${day}, ${hour}:00–${hour + 1}:00`}
              data-hour={row * 24 + hour}
            >
              {hour}
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}
