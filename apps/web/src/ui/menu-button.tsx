import { ActionIcon } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { lazyDialog } from './lazy.tsx';
import type { MenuLine } from './menu-lines.tsx';

const MenuLines = lazyDialog(() => import('./menu-lines.tsx'), 'MenuLines');

/** A button, the size of an icon, that opens a menu. */
export function MenuButton(props: {
  label: string;
  title?: string;
  icon: ReactNode;
  lines: readonly MenuLine[];
  onOpen?: () => void;
}) {
  const [opened, setOpened] = useState(false);
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const id = useId();

  function toggle() {
    if (!opened) props.onOpen?.();
    setOpened(!opened);
  }

  return (
    <>
      <ActionIcon
        ref={setButton}
        id={id}
        variant="subtle"
        color="gray"
        size={40}
        aria-label={props.label}
        title={props.title}
        aria-haspopup="menu"
        aria-expanded={opened}
        aria-controls={opened ? `${id}-dropdown` : undefined}
        data-expanded={opened || undefined}
        onClick={toggle}
        {...MenuLines.intent}
      >
        {props.icon}
      </ActionIcon>
      {button && (
        <MenuLines
          id={id}
          button={button}
          lines={props.lines}
          opened={opened}
          onClose={() => setOpened(false)}
        />
      )}
    </>
  );
}
