/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a combobox with a listbox (WAI-ARIA APG): no element of HTML is one */
import { Anchor, Loader, Modal, TextInput, VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconSearch } from '@tabler/icons-react';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { type Destination, useDestinations } from './destinations.ts';
import classes from './keyboard.module.css';

/** Searches pages, actions and entities, and navigates to the chosen one (WAI-ARIA APG: combobox with a listbox). */
export function GoDialog({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) {
  const navigate = useNavigate();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const { destinations, searching } = useDestinations(typed);
  const at = Math.min(chosen, destinations.length - 1);

  function go({ to, search = {}, id }: Destination) {
    onClose();
    void navigate({ to, search, params: id === undefined ? {} : { id } } as NavigateOptions);
  }
  function onKeyDown(event: KeyboardEvent) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const destination = destinations[at];
    if (by !== undefined) setChosen((at + by + destinations.length) % Math.max(1, destinations.length));
    else if (event.key === 'Enter' && destination) go(destination);
    else return;
    event.preventDefault();
  }

  return (
    <Modal.Root opened onClose={onClose} size={560} padding={0} yOffset="12vh">
      <Modal.Overlay />
      <Modal.Content aria-label={t.shell.go}>
        <Modal.Body>
          <TextInput
            data-autofocus
            variant="unstyled"
            className={classes.typed}
            role="combobox"
            aria-label={t.keyboard.where}
            placeholder={t.keyboard.where}
            aria-expanded
            aria-controls={id}
            aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
            value={typed}
            maxLength={200}
            leftSection={searching ? <Loader size={16} /> : <IconSearch size={18} aria-hidden />}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
          />
          <VisuallyHidden aria-live="polite">
            {!searching && t.keyboard.found(destinations.length)}
          </VisuallyHidden>
          <div id={id} role="listbox" aria-label={t.keyboard.where} className={classes.places}>
            {[...Map.groupBy(destinations, ({ group }) => group)].map(([group, places]) => (
              <div key={group} role="group" aria-label={t.keyboard.groups[group]}>
                <div className={classes.group} aria-hidden>
                  {t.keyboard.groups[group]}
                </div>
                {places.map((destination) => {
                  const place = destinations.indexOf(destination);
                  return (
                    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the combobox handles the keyboard
                    <div
                      key={`${destination.to} ${destination.id} ${destination.label}`}
                      id={`${id}-${place}`}
                      ref={(element) => {
                        if (place === at) element?.scrollIntoView({ block: 'nearest' });
                      }}
                      role="option"
                      aria-selected={place === at}
                      className={classes.place}
                      onPointerMove={() => setChosen(place)}
                      onClick={() => go(destination)}
                    >
                      {destination.label}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          {destinations.length === 0 && !searching && <p className={classes.nothing}>{t.keyboard.nothing}</p>}
          <footer className={classes.footer}>
            <Anchor component="button" type="button" size="sm" onClick={onKeys}>
              {t.keyboard.title}
            </Anchor>
          </footer>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
