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

/** Spec section 9: a list is searched on the spot, this long after the last letter. */
const SEARCH_DELAY_MS = 100;

/** An option of a select: the entity's id and how people know it. */
export interface Option {
  value: number;
  label: string;
}

/** One of many, with a search in the list. */
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

/** Any number of many, with a search in the list. What is picked stays there with a mark, and can be let go by it. */
export function MultiSelectField<V extends FieldValues, O>(
  props: Bound<V, O> & { options: readonly Option[] },
) {
  const field = useField(props);
  const value: number[] = field.value ?? [];
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed, SEARCH_DELAY_MS);
  // An emptied field (a pick empties it) shows the whole list at once.
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
      // Tab passes by; a list that opened by itself would lie over the buttons below.
      openOnFocus={false}
      nothingFoundMessage={t.common.notFoundOption}
      placeholder={value.length === 0 ? t.form.search : undefined}
    />
  );
}
