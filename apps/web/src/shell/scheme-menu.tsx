import * as t from '@propusk/phrases/console';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { chooseScheme, type SchemeChoice, useSchemeChoice } from '../theme/scheme.ts';
import { MenuButton } from '../ui/menu-button.tsx';

const choices: readonly { value: SchemeChoice; Icon: typeof IconSun }[] = [
  { value: 'light', Icon: IconSun },
  { value: 'dark', Icon: IconMoon },
  { value: 'auto', Icon: IconDeviceDesktop },
];

/** A menu that chooses the colour scheme: light, dark, or the system's. */
export function SchemeMenu() {
  const choice = useSchemeChoice();
  const Shown = choices.find(({ value }) => value === choice)?.Icon ?? IconDeviceDesktop;
  const label = `${t.shell.scheme}: ${t.shell.schemes[choice]}`;
  return (
    <MenuButton
      label={label}
      title={label}
      icon={<Shown size={18} stroke={1.75} aria-hidden />}
      lines={choices.map(({ value, Icon }) => ({
        label: t.shell.schemes[value],
        icon: <Icon size={16} stroke={1.75} aria-hidden />,
        checked: value === choice,
        run: () => chooseScheme(value),
      }))}
    />
  );
}
