import { Menu } from '@mantine/core';
import { type ReactNode, type Ref, type RefCallback, useLayoutEffect } from 'react';

/** An item of a menu. With `checked`, the item is an option of a radio group. */
export interface MenuLine {
  label: string;
  icon: ReactNode;
  danger?: boolean;
  checked?: boolean;
  /** The heading of this item and of those below it. */
  heading?: string | undefined;
  run?: () => void;
  /** Renders the item as a link. */
  renderRoot?: (props: Record<string, unknown>) => ReactNode;
}

/** The menu of a button that is already rendered. */
export function MenuLines(props: {
  /** The button's id; the menu's id derives from it. */
  id: string;
  button: HTMLElement;
  lines: readonly MenuLine[];
  opened: boolean;
  onClose: () => void;
}) {
  return (
    <Menu
      id={props.id}
      position="bottom-end"
      width={200}
      opened={props.opened}
      onChange={(open) => open || props.onClose()}
    >
      <Menu.Target>
        <Elsewhere element={props.button} />
      </Menu.Target>
      <Menu.Dropdown>
        {props.lines.map((line) => [
          line.heading && <Menu.Label key={line.heading}>{line.heading}</Menu.Label>,
          line.checked === undefined ? (
            <Menu.Item
              key={line.label}
              leftSection={line.icon}
              color={line.danger ? 'var(--mantine-color-error)' : undefined}
              onClick={line.run}
              renderRoot={line.renderRoot}
            >
              {line.label}
            </Menu.Item>
          ) : (
            <Menu.RadioItem
              key={line.label}
              value={line.label}
              checked={line.checked}
              closeMenuOnClick
              onChange={line.run}
              rightSection={line.icon}
            >
              {line.label}
            </Menu.RadioItem>
          ),
        ])}
      </Menu.Dropdown>
    </Menu>
  );
}

/**
 * Passes the existing button to Mantine as the menu's target. A button rendered inside Menu.Target would be remounted and
 * lose the focus.
 */
function Elsewhere({ element, ref }: { element: HTMLElement; ref?: Ref<HTMLElement> }) {
  // The cast: Menu.Target always passes a callback ref.
  const setTarget = ref as RefCallback<HTMLElement>;
  useLayoutEffect(() => {
    setTarget(element);
  }, [setTarget, element]);
  return null;
}
