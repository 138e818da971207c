import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Checkbox.css';
import { Checkbox, Modal } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import classes from './keyboard.module.css';
import { singleKeys } from './keys.ts';

/** The list of keys, and the switch of those without a modifier. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(singleKeys.read);
  return (
    <Modal opened onClose={onClose} title={t.keyboard.title} size={440}>
      <dl className={classes.keys}>
        {t.keyboard.keys.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label={t.keyboard.single}
        description={t.keyboard.singleHint}
        checked={on}
        onChange={({ currentTarget }) => {
          singleKeys.store(currentTarget.checked);
          setOn(currentTarget.checked);
        }}
      />
    </Modal>
  );
}
