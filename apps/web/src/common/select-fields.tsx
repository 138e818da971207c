import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { Loader, MultiSelect, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import * as t from '@propusk/phrases/console';
import { type KeyboardEvent, useRef, useState } from 'react';
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

/** The entries of the list for a text: an option of exactly that label, then those that contain it, then the create. */
function offersOf({ options, create }: MultiChoosing, text: string): Option[] {
  const name = text.trim();
  const found = options.filter(({ label }) => matches(label, name));
  const exact = ({ label }: Option) => label.toLowerCase() === name.toLowerCase();
  found.sort((a, b) => Number(exact(b)) - Number(exact(a)));
  if (create === undefined || name === '' || found.some(exact)) return found;
  return [...found, { value: CREATE, label: create.label(name) }];
}

type MultiChoosing = Choosing & { create?: InlineCreate | undefined };

/**
 * A select of several options, with search. Picked options stay in the list with a mark; a click on one unpicks it.
 * With `create`, the user can create and pick an entity by typing a text that no option has as its label. Typed text
 * that names no picked option is part of the field's value, where the schema of ids refuses it: a form cannot be saved
 * over it, and a dialog asks before it closes.
 */
export function MultiSelectField<V extends FieldValues, O>(props: Bound<V, O> & MultiChoosing) {
  const { create } = props;
  const field = useField(props);
  const entries: (number | string)[] = field.value ?? [];
  const value = entries.filter((entry) => typeof entry === 'number');
  const typed = entries.find((entry) => typeof entry === 'string') ?? '';
  const set = (ids: number[], text: string) => field.onChange(text.trim() === '' ? ids : [...ids, text]);
  const [left, setLeft] = useState(false);
  const [opened, setOpened] = useState(false);
  const [creating, setCreating] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [settled] = useDebouncedValue(typed, SEARCH_DELAY_MS);
  // The delayed text counts only while the field holds text: an emptied field shows the whole list without delay.
  const search = typed && settled;
  const offers = offersOf(props, search);
  // Mantine forgets the text of a field that loses the focus.
  const leaving = useRef(false);

  async function pick(picked: number[]) {
    setFailure(undefined);
    // The next Enter then saves the form; in an open list it would unpick the highlighted option.
    if (typed !== '') setOpened(false);
    if (create === undefined || !picked.includes(CREATE)) return set(picked, '');
    setCreating(true);
    try {
      const id = await create.run(typed.trim());
      if (id === null) return;
      set([...value, id], '');
    } catch (error) {
      setFailure(sentenceOf(error));
    } finally {
      setCreating(false);
    }
  }
  /** With typed text, Enter takes an entry of the list and does not save the form. */
  function takeOnEnter(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed === '') return;
    event.preventDefault();
    // The list takes its highlighted entry itself. Before the search's delay it still highlights one for the last text.
    if (opened && search === typed) return;
    event.stopPropagation();
    const [best] = offersOf(props, typed);
    if (best !== undefined) void pick([...new Set([...value, best.value])]);
  }
  return (
    <MultiSelect
      {...labels(props)}
      {...field}
      error={failure ?? (typed === '' ? field.error : left && t.form.untaken(typed))}
      data={[...props.options, { value: CREATE, label: '' }]}
      value={value}
      onChange={pick}
      readOnly={creating}
      rightSection={creating ? <Loader size="xs" aria-label={t.common.loading} /> : undefined}
      searchable
      searchValue={typed}
      classNames={{ pillsList: classes.pills }}
      onSearchChange={(text) => {
        if (leaving.current) return;
        setFailure(undefined);
        set(value, text);
      }}
      clearSearchOnChange={false}
      selectFirstOptionOnChange={typed !== '' && search === typed}
      filter={() => offers}
      onKeyDownCapture={takeOnEnter}
      onFocus={() => setLeft(false)}
      onBlur={() => {
        leaving.current = true;
        queueMicrotask(() => (leaving.current = false));
        setLeft(true);
        field.onBlur();
      }}
      // Below the field the list would cover the dialog's buttons: a click on «Save» would unpick an option.
      comboboxProps={{ position: 'top' }}
      dropdownOpened={opened}
      onDropdownOpen={() => setOpened(true)}
      onDropdownClose={() => setOpened(false)}
      maxDropdownHeight={240}
      openOnFocus={false}
      nothingFoundMessage={t.common.notFoundOption}
      placeholder={value.length === 0 ? props.placeholder : undefined}
    />
  );
}
