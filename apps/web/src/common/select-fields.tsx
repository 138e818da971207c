import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { Loader, MultiSelect, type OptionsFilter, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { ApiError } from '../api/api-error.ts';
import { type Bound, labels, useField } from './fields.tsx';
import classes from './form-dialog.module.css';
import { matches } from './matches.ts';

/** Delay between the last keystroke and the search, in milliseconds (spec section 9). */
const SEARCH_DELAY_MS = 100;

/** An option of a select: the entity's id and label. */
export interface Option {
  value: number;
  label: string;
}

/** Props of a select: its options and its placeholder. */
interface Choosing {
  options: readonly Option[];
  placeholder: string;
}

/** A select of one option, with search. */
export function SelectField<V extends FieldValues, O>(props: Bound<V, O> & Choosing) {
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
      placeholder={props.placeholder}
    />
  );
}

/** Creates an entity from the text typed into a select, when no option matches it. */
export interface InlineCreate {
  /** The label of the option that creates the entity, such as 'Create "typed text"'. */
  label: (typed: string) => string;
  /** @returns the new entity's id; null when the user cancelled */
  run: (typed: string) => Promise<number | null>;
}

/** The message of a failed create: the first field error, or the error itself. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiError)) return t.failures.unexpected;
  return Object.values(error.fields)[0] ?? error.message;
}

/** The id of the option that creates an entity. Ids of entities begin with 1. */
const CREATE = 0;

/**
 * A select of several options, with search. Picked options stay in the list with a mark; a click on one unpicks it.
 * With `create`, the user can create and pick an entity by typing a text that no option has as its label.
 */
export function MultiSelectField<V extends FieldValues, O>(
  props: Bound<V, O> & Choosing & { create?: InlineCreate | undefined },
) {
  const { create } = props;
  const field = useField(props);
  const value: number[] = field.value ?? [];
  const [typed, setTyped] = useState('');
  const [opened, setOpened] = useState(false);
  const [creating, setCreating] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [settled] = useDebouncedValue(typed, SEARCH_DELAY_MS);
  // The delayed text counts only while the field holds text: an emptied field shows the whole list without delay.
  const search = typed && settled;
  const filter: OptionsFilter<number> = ({ options }) =>
    options.filter((option) => 'group' in option || option.value === CREATE || matches(option.label, search));
  const missing = create && search.trim();
  const known = props.options.some(({ label }) => label.toLowerCase() === missing?.toLowerCase());
  const offered = missing && !known ? [{ value: CREATE, label: create.label(missing) }] : [];

  async function pick(picked: number[]) {
    setFailure(undefined);
    if (create === undefined || !picked.includes(CREATE)) return field.onChange(picked);
    setCreating(true);
    try {
      const id = await create.run(typed.trim());
      if (id === null) return;
      field.onChange([...value, id]);
      setTyped('');
      // The open list would cover the buttons below.
      setOpened(false);
    } catch (error) {
      setFailure(sentenceOf(error));
    } finally {
      setCreating(false);
    }
  }
  return (
    <MultiSelect
      {...labels(props)}
      {...field}
      error={failure ?? field.error}
      data={[...props.options, ...offered]}
      value={value}
      onChange={pick}
      readOnly={creating}
      rightSection={creating ? <Loader size="xs" aria-label={t.common.loading} /> : undefined}
      searchable
      searchValue={typed}
      classNames={{ pillsList: classes.pills }}
      onSearchChange={setTyped}
      filter={filter}
      dropdownOpened={opened}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      maxDropdownHeight={240}
      // The list does not open on focus: it would cover the buttons below.
      openOnFocus={false}
      nothingFoundMessage={t.common.notFoundOption}
      placeholder={value.length === 0 ? props.placeholder : undefined}
    />
  );
}
