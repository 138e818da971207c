import { Button, CloseButton, Group, Input } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useId } from 'react';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import {
  hoursOf,
  oddOf,
  sayWindows,
  type Windows,
  windowsOf,
  workingHours,
} from '../../entities/policy/windows.ts';
import { useField } from '../../forms/fields.tsx';
import classes from './times.module.css';
import { WeekGrid } from './week-grid.tsx';

/** The weekly windows of a form: a grid of hours, and a list of the windows that do not begin and end at full hours. */
export function HoursField<V extends FieldValues, O>(props: {
  control: Control<V, unknown, O>;
  name: FieldPath<V>;
}) {
  const { value, onChange, error } = useField(props);
  const windows = (value === undefined ? [] : value) as Windows | null;
  const odd = oddOf(windows);
  const id = useId();
  const quick = [
    [t.times.always, []],
    [t.times.work, workingHours],
    [t.times.clear, null],
  ] as const;
  return (
    <Input.Wrapper
      label={t.times.hours}
      labelElement="div"
      labelProps={{ id }}
      description={t.times.hoursHint}
      error={windows === null ? t.times.noHours : error}
    >
      <Group gap="xs" my="xs">
        {quick.map(([label, next]) => (
          <Button
            key={label}
            variant="default"
            size="compact-md"
            aria-pressed={JSON.stringify(windows) === JSON.stringify(next)}
            className={classes.quick}
            onClick={() => onChange(next)}
          >
            {label}
          </Button>
        ))}
      </Group>
      <WeekGrid labelledBy={id} windows={windows} onWindows={onChange} />
      {windows !== null && windows.length > 0 && (
        <output className={classes.said}>{sayWindows(windows)}</output>
      )}
      {odd.map((window) => (
        <Group key={window.join()} gap={4}>
          {sayWindows([window])}
          <CloseButton
            aria-label={t.times.removeWindow(sayWindows([window]))}
            onClick={() =>
              onChange(
                windowsOf(
                  hoursOf(windows),
                  odd.filter((each) => each !== window),
                ),
              )
            }
          />
        </Group>
      ))}
    </Input.Wrapper>
  );
}
