import { CloseButton, Group, Select, Stack, Text } from '@mantine/core';
import type { Ends } from '@propusk/contract/times';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { DayInput, type DayInputProps } from '../../forms/day-input.tsx';
import { useField } from '../../forms/fields.tsx';
import classes from '../../forms/form-dialog.module.css';
import type { Option } from '../../forms/select-fields.tsx';
import { shownDay } from './moments.ts';

type End = NonNullable<Ends>[number];

/** The changed ends of the memberships that are still selected in the form. */
export const endsOfChosen = (ends: Ends, chosen: readonly number[] | undefined): End[] =>
  (ends ?? []).filter(({ id }) => chosen?.includes(id));

/**
 * The field `ends` of a form: the ends of memberships to change. Shows the ends that memberships have, and lets the user add an
 * end to the others.
 * @param props.of the field with the ids of the chosen users or policies
 * @param props.zoneOf returns the time zone of a membership's policy
 */
export function EndsField<V extends FieldValues, O>(props: {
  control: Control<V, unknown, O>;
  of: 'users' | 'politics';
  options: readonly Option[];
  members: readonly { id: number; until: string | null }[];
  zoneOf: (id: number) => string;
}) {
  const { control, of, zoneOf } = props;
  const chosen: (number | string)[] | undefined = useWatch({ control, name: of as FieldPath<V> });
  const { onChange, error, ...field } = useField({ control, name: 'ends' as FieldPath<V> });
  const [added, setAdded] = useState<readonly number[]>([]);
  const ends = (field.value ?? []) as End[];
  const untilOf = (id: number) =>
    ends.find((end) => end.id === id)?.until ?? props.members.find((one) => one.id === id)?.until ?? '';
  function set(id: number, until: string, keeps: boolean) {
    setAdded([...added.filter((each) => each !== id), ...(keeps ? [id] : [])]);
    onChange([...ends.filter((end) => end.id !== id), { id, until }]);
  }
  const options = props.options.filter(({ value }) => chosen?.includes(value));
  const isLimited = ({ value }: Option) => added.includes(value) || untilOf(value) !== '';
  const free = options.filter((option) => !isLimited(option));
  return (
    <Stack gap="xs">
      {options.filter(isLimited).map(({ value: id, label }) => (
        <Group key={id} gap="xs" align="end" wrap="nowrap">
          <div className={classes.grown}>
            <DayInput
              label={label}
              inside={t.times.till}
              value={shownDay(untilOf(id), zoneOf(id))}
              onDay={(day) => set(id, day, true)}
              onOther={(typed) => set(id, typed, true)}
            />
          </div>
          <CloseButton size="lg" aria-label={t.times.removeEnd(label)} onClick={() => set(id, '', false)} />
        </Group>
      ))}
      {free.length > 0 && (
        <Select
          label={t.times.ends[of]}
          description={t.times.endsHint}
          placeholder={t.form.choose[of === 'users' ? 'person' : 'policy']}
          data={free.map(({ value, label }) => ({ value: String(value), label }))}
          value={null}
          searchable
          openOnFocus={false}
          withScrollArea={false}
          classNames={{ options: classes.options ?? '' }}
          nothingFoundMessage={t.common.notFoundOption}
          onChange={(id) => setAdded([...added, Number(id)])}
        />
      )}
      {error && <Text c="var(--mantine-color-error)">{error}</Text>}
    </Stack>
  );
}

/** A field for a moment (moments.ts), shown as a day of a time zone. A time that is not at the edge of a day is kept until the
 * user types a day. */
export function MomentField<V extends FieldValues, O>({
  zone,
  isEnd = true,
  ...props
}: Pick<DayInputProps, 'label' | 'description'> & {
  control: Control<V, unknown, O>;
  name: FieldPath<V>;
  zone: string;
  isEnd?: boolean;
}) {
  const { value, onChange } = useField(props);
  return (
    <DayInput
      label={props.label}
      description={props.description}
      value={shownDay((value ?? '') as string, zone, isEnd)}
      onDay={onChange}
      onOther={onChange}
    />
  );
}
