import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Kbd.css';
import { Checkbox, Kbd, Modal } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { singleKeys, useStored } from '../../state.ts';
import classes from './keyboard.module.css';

/** A dialog that lists the keyboard shortcuts, with a switch that disables those without a modifier key. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={t.keyboard.title} size={440}>
      <dl className={classes.keys}>
        {t.keyboard.keys.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key} mr={4} size="md" fw={500} bdrs="xs">
                  {key}
                </Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label={t.keyboard.single}
        description={t.keyboard.singleHint}
        checked={useStored(() => singleKeys.read() !== 'off')}
        onChange={({ currentTarget }) => singleKeys.store(currentTarget.checked ? null : 'off')}
      />
    </Modal>
  );
}
