import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { MultiSelect, type OptionsFilter, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { type Bound, labels, useField } from './fields.tsx';
import { matches } from './matches.ts';

/** Spec section 9: the search runs this long after the last keystroke. */
const SEARCH_DELAY_MS = 100;

/** An option of a select: the entity's id and label. */
export interface Option {
  value: number;
  label: string;
}

/** A select of one option, with search. */
export function SelectField<V extends FieldValues, O>(props: Bound<V, O> & { options: readonly Option[] }) {
  const field = useField(props);
  return (
    <Select
      {...labels(props)}
      {...field}
      data={[...props.options]}
      value={field.value ?? null}
      onChange={(value) => field.onChange(value ?? undefined)}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t.common.notFoundOption}
      placeholder={t.form.search}
    />
  );
}

/** A select of several options, with search. Picked options stay in the list with a mark, and a click removes them. */
export function MultiSelectField<V extends FieldValues, O>(
  props: Bound<V, O> & { options: readonly Option[] },
) {
  const field = useField(props);
  const value: number[] = field.value ?? [];
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed, SEARCH_DELAY_MS);
  // An emptied field shows the whole list at once; picking an option empties it.
  const search = typed && settled;
  const filter: OptionsFilter<number> = ({ options }) =>
    options.filter((option) => 'group' in option || matches(option.label, search));
  return (
    <MultiSelect
      {...labels(props)}
      {...field}
      data={[...props.options]}
      value={value}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={filter}
      maxDropdownHeight={240}
      // The list does not open on focus: it would cover the buttons below.
      openOnFocus={false}
      nothingFoundMessage={t.common.notFoundOption}
      placeholder={value.length === 0 ? t.form.search : undefined}
    />
  );
}
