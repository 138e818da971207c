import { CloseButton, TextInput } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 300;

/** A field that searches when the user pauses typing. `value` is the current search. */
export function SearchField(props: { label: string; value: string; onSearch: (value: string) => void }) {
  const [typed, setTyped] = useState(props.value);
  const timer = useRef(0);
  // The URL may change without this field, by Back or a link: then show the search of the URL.
  const reported = useRef(props.value);
  useEffect(() => {
    if (props.value !== reported.current) {
      reported.current = props.value;
      setTyped(props.value);
    }
  }, [props.value]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  function report(value: string) {
    window.clearTimeout(timer.current);
    reported.current = value.trim();
    props.onSearch(reported.current);
  }

  return (
    <TextInput
      type="search"
      aria-keyshortcuts="/"
      aria-label={props.label}
      placeholder={props.label}
      maxLength={200}
      value={typed}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        typed && (
          <CloseButton
            size="sm"
            aria-label={t.common.clearSearch}
            onClick={() => {
              setTyped('');
              report('');
            }}
          />
        )
      }
      onChange={(event) => {
        const { value } = event.currentTarget;
        setTyped(value);
        window.clearTimeout(timer.current);
        timer.current = window.setTimeout(() => report(value), PAUSE_MS);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') report(typed);
      }}
    />
  );
}
