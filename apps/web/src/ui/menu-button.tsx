import { type MouseEvent, type ReactNode, useId, useState } from 'react';
import { lazyDialog } from './lazy.tsx';
import classes from './menu-button.module.css';
import type { MenuLine } from './menu-lines.tsx';

const MenuLines = lazyDialog(() => import('./menu-lines.tsx'), 'MenuLines');

/**
 * An icon button that opens a menu. Every row of a list has one, so for speed it is a plain button whose menu is mounted
 * with the first click.
 */
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

  function toggle({ currentTarget }: MouseEvent<HTMLButtonElement>) {
    setButton(currentTarget);
    if (!opened) props.onOpen?.();
    setOpened(!opened);
  }

  return (
    <>
      <button
        type="button"
        id={id}
        className={classes.button}
        aria-label={props.label}
        title={props.title}
        aria-haspopup="menu"
        aria-expanded={opened}
        aria-controls={opened ? `${id}-dropdown` : undefined}
        onClick={toggle}
        {...MenuLines.intent}
      >
        {props.icon}
      </button>
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
