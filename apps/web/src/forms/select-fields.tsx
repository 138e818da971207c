import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { CheckIcon, Combobox, Loader, Pill, PillsInput, Select, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import * as t from '@propusk/phrases/console';
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { ApiError } from '../api/api-error.ts';
import { type Bound, labels, useField } from './fields.tsx';
import classes from './form-dialog.module.css';
import { matches } from './matches.ts';

/** Delay between the last keystroke and the search, in milliseconds (spec section 9). */
const SEARCH_DELAY_MS = 100;

/** An option of a select. The value is usually an entity's id. */
export interface Option<T extends number | string = number> {
  value: T;
  label: string;
}

/** Props of a select: its options and its placeholder. */
interface Choosing<T extends number | string = number> {
  options: readonly Option<T>[];
  placeholder?: string;
  /** The user can remove the choice. */
  clearable?: boolean;
}

/** A select of one option, with search. With `opened`, it has the focus of its dialog and shows its options at once. */
export function SelectField<V extends FieldValues, O>(
  props: Bound<V, O> & Choosing<number | string> & { opened?: boolean },
) {
  const field = useField(props);
  return (
    <Select
      {...labels(props)}
      {...field}
      data={[...props.options]}
      value={field.value ?? null}
      searchable
      selectFirstOptionOnChange
      allowDeselect={props.clearable === true}
      clearable={props.clearable === true}
      withScrollArea={false}
      classNames={{ options: classes.options ?? '' }}
      nothingFoundMessage={t.common.notFoundOption}
      placeholder={props.placeholder}
      defaultDropdownOpened={props.opened === true}
      data-autofocus={props.opened || undefined}
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

/** The entries of the list for a text: the option with exactly this label, the options that match it, and the create entry. */
function offersOf({ options, create }: MultiChoosing, text: string): Option[] {
  const name = text.trim();
  const found = options.filter(({ label }) => matches(label, name));
  const exact = ({ label }: Option) => label.toLowerCase() === name.toLowerCase();
  found.sort((a, b) => Number(exact(b)) - Number(exact(a)));
  if (create === undefined || name === '' || found.some(exact)) return found;
  return [...found, { value: CREATE, label: create.label(name) }];
}

/** The entry that Enter picks: the first unpicked option, or the create entry if no option matches the text. */
function nextOf(offers: readonly Option[], picked: readonly number[]): Option | undefined {
  return offers.find(({ value }) => !picked.includes(value) && (value !== CREATE || offers.length === 1));
}

type MultiChoosing = Choosing & { create?: InlineCreate | undefined };

/**
 * A select of several options, with search. Picked options stay in the list with a mark, and a click on one unpicks it. A pick
 * selects the search text, so that typing replaces it. Enter with typed text closes the list, and the next Enter saves. With
 * `create`, the user can create and pick an entity by typing a text that is no option's label. Typed text that is not picked
 * is a string in the field's value, and the schema rejects it. Then the form cannot be saved, and its dialog asks before it
 * closes.
 */
export function MultiSelectField<V extends FieldValues, O>(props: Bound<V, O> & MultiChoosing) {
  const { options, create } = props;
  const { value: stored, error, onChange, ...field } = useField(props);
  const entries: (number | string)[] = stored ?? [];
  const picked = entries.filter((entry) => typeof entry === 'number');
  const typed = entries.find((entry) => typeof entry === 'string') ?? '';
  /** The search text that remains after a pick. It filters the list, but is not part of the field's value. */
  const [kept, setKept] = useState('');
  const text = typed || kept;
  const set = (ids: number[], rest: string) => onChange(rest.trim() === '' ? ids : [...ids, rest]);
  const [left, setLeft] = useState(false);
  const [creating, setCreating] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [settled] = useDebouncedValue(text, SEARCH_DELAY_MS);
  // The delayed text counts only while the field holds text: an emptied field shows the whole list without delay.
  const search = text && settled;
  const offers = offersOf(props, search);
  const next = nextOf(offers, picked);
  const store = useCombobox({ onDropdownClose: () => store.resetSelectedOption() });
  const id = useId();

  const activate = useEffectEvent(() => {
    if (typed !== '' && next !== undefined) store.selectActiveOption();
  });
  useEffect(() => {
    if (search !== '') activate();
  }, [search]);

  const without = (id: number) => picked.filter((each) => each !== id);
  /** Sets the picked ids and keeps the search text. No entry stays active, so that the next Enter saves the form. */
  function take(ids: number[]) {
    set(ids, '');
    setKept(text);
    (store.targetRef.current as HTMLInputElement | null)?.select();
    store.resetSelectedOption();
  }
  async function pick(entry: number) {
    if (creating) return;
    setFailure(undefined);
    if (picked.includes(entry)) return take(without(entry));
    if (create === undefined || entry !== CREATE) {
      // Closes a list without further options, because it could cover the save button.
      if (options.every(({ value }) => value === entry || picked.includes(value))) store.closeDropdown();
      return take([...picked, entry]);
    }
    store.closeDropdown();
    setCreating(true);
    try {
      const made = await create.run(text.trim());
      if (made !== null) take([...picked, made]);
    } catch (thrown) {
      setFailure(sentenceOf(thrown));
    } finally {
      setCreating(false);
    }
  }
  function onKeyDown(event: KeyboardEvent) {
    const active = store.getSelectedOptionIndex();
    // Mantine's own Arrow Down handler then moves one entry down, to `next`.
    if (event.key === 'ArrowDown' && active === -1 && next)
      store.updateSelectedOptionIndex(offers.indexOf(next) - 1);
    if (event.key === 'Backspace' && text === '' && !creating) set(picked.slice(0, -1), '');
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.stopPropagation();
    // Until the search delay ends, the list belongs to the previous text.
    const chosen = store.dropdownOpened && search === text ? offers[active] : undefined;
    if (typed !== '' || chosen === undefined) store.closeDropdown();
    if (typed === '' && chosen === undefined) return;
    // Enter takes an entry and does not save the form.
    event.preventDefault();
    const found = offersOf(props, typed);
    const entry = chosen ?? nextOf(found, picked);
    if (entry !== undefined) void pick(entry.value);
    else if (found.length > 0) take(picked);
  }
  const names = new Map(options.map(({ value, label }) => [value, label]));
  return (
    <Combobox store={store} readOnly={creating} onOptionSubmit={(entry) => void pick(Number(entry))}>
      <Combobox.DropdownTarget>
        <PillsInput
          {...labels(props)}
          id={id}
          error={failure ?? (typed === '' ? error : left && t.form.untaken(typed))}
          rightSection={creating ? <Loader size="xs" aria-label={t.common.loading} /> : <Combobox.Chevron />}
          rightSectionPointerEvents="none"
          onClick={() => store.openDropdown()}
        >
          <Pill.Group className={classes.pills}>
            {picked.map((each) => (
              <Pill key={each} withRemoveButton={!creating} onRemove={() => set(without(each), typed)}>
                {names.get(each) ?? each}
              </Pill>
            ))}
            <Combobox.EventsTarget withExpandedAttribute>
              <PillsInput.Field
                {...field}
                className={classes.search}
                readOnly={creating}
                value={text}
                placeholder={picked.length === 0 ? props.placeholder : undefined}
                onChange={({ currentTarget }) => {
                  setFailure(undefined);
                  setKept('');
                  store.resetSelectedOption();
                  store.openDropdown();
                  set(picked, currentTarget.value);
                }}
                onKeyDownCapture={onKeyDown}
                onFocus={() => setLeft(false)}
                onBlur={() => {
                  store.closeDropdown();
                  setLeft(true);
                  setKept('');
                  field.onBlur();
                }}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <Combobox.Dropdown>
        <Combobox.Options labelledBy={`${id}-label`} className={classes.options}>
          {offers.map(({ value, label }) => (
            <Combobox.Option
              key={value}
              value={String(value)}
              active={value === next?.value}
              aria-selected={picked.includes(value)}
              className={classes.option}
            >
              {picked.includes(value) && <CheckIcon size={12} aria-hidden />}
              <span>{label}</span>
            </Combobox.Option>
          ))}
          {offers.length === 0 && <Combobox.Empty>{t.common.notFoundOption}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
