import { MultiSelect, Select } from '@mantine/core';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { t } from '../dictionary/dictionary.ts';
import { type Bound, labels, useField } from './fields.tsx';

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

/** Any number of many, with a search in the list. */
export function MultiSelectField<V extends FieldValues, O>(
  props: Bound<V, O> & { options: readonly Option[] },
) {
  const field = useField(props);
  const [search, setSearch] = useState('');
  const value: number[] = field.value ?? [];
  return (
    <MultiSelect
      {...labels(props)}
      {...field}
      data={[...props.options]}
      value={value}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      hidePickedOptions
      maxDropdownHeight={240}
      // Without a search there is nothing left to pick: then no dropdown hides the buttons below.
      nothingFoundMessage={search || props.options.length === 0 ? t.common.notFoundOption : undefined}
      placeholder={value.length === 0 ? t.form.search : undefined}
    />
  );
}
