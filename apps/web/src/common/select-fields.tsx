import { MultiSelect, Select } from '@mantine/core';
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

/** Any number of many, with a search in the list. What is picked stays there with a mark, and can be let go by it. */
export function MultiSelectField<V extends FieldValues, O>(
  props: Bound<V, O> & { options: readonly Option[] },
) {
  const field = useField(props);
  const value: number[] = field.value ?? [];
  return (
    <MultiSelect
      {...labels(props)}
      {...field}
      data={[...props.options]}
      value={value}
      searchable
      maxDropdownHeight={240}
      // Tab passes by; a list that opened by itself would lie over the buttons below.
      openOnFocus={false}
      nothingFoundMessage={t.common.notFoundOption}
      placeholder={value.length === 0 ? t.form.search : undefined}
    />
  );
}
