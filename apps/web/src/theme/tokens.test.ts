import { DEFAULT_THEME, mergeMantineTheme } from '@mantine/core';
import { describe, expect, it } from 'vitest';
import { dark, gray, pass } from './palette.ts';
import { theme } from './theme.ts';
import { cssVariablesResolver } from './tokens.ts';

type Scheme = 'light' | 'dark';
type Tokens = Record<string, string>;
const resolved: Record<Scheme | 'variables', Tokens> = cssVariablesResolver(
  mergeMantineTheme(DEFAULT_THEME, theme),
);
const palette = { pass, gray, dark, red: DEFAULT_THEME.colors.red };

/** Resolves a CSS variable, a palette shade (`pass-7`) or a hex colour. @returns a hex colour */
function hex(scheme: Scheme, name: string): string {
  const value = resolved[scheme][name] ?? resolved.variables[name] ?? name;
  const inner = /^var\((.+)\)$/.exec(value)?.[1];
  if (inner !== undefined && inner in resolved[scheme]) return hex(scheme, inner);
  const shade = /(?:--mantine-color-)?(pass|gray|dark|red)-(\d)\)?$/.exec(value);
  const found = shade ? palette[shade[1] as keyof typeof palette][Number(shade[2])] : value;
  return (found ?? '').replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
}

/** The contrast ratio of two hex colours (WCAG 2.2). */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const grounds = ['--surface', '--surface-hover', '--surface-sunken', '--canvas'];
const text: [color: string, grounds: string[]][] = [
  ['--mantine-color-dimmed', grounds],
  ['--mantine-color-error', [...grounds, '--danger-soft']],
  ['--accent-text', grounds],
  ['--warning-text', ['--surface', '--warning-soft']],
  ['--accent-soft-text', ['--accent-soft']],
  ['--neutral-soft-text', ['--neutral-soft']],
  ['--special-soft-text', ['--special-soft']],
  ['--mantine-color-disabled-color', ['--mantine-color-disabled']],
];
// The background of input fields, which Mantine sets.
const fields: Record<Scheme, string> = { light: '#fff', dark: 'dark-6' };
const buttons: Record<Scheme, string> = { light: 'pass-7', dark: 'pass-6' };

describe.each<Scheme>(['light', 'dark'])('contrast in the %s scheme', (scheme) => {
  const pairs = text.flatMap(([color, on]) => on.map((ground): [string, string] => [color, ground]));
  it.each([
    ...pairs,
    ['--mantine-color-placeholder', fields[scheme]],
    ['#fff', buttons[scheme]],
    ['#fff', 'red-9'],
  ] as [string, string][])(
    'text in the colour %s on the background %s has a contrast of at least 4.5:1',
    (color, ground) => {
      expect(contrast(hex(scheme, color), hex(scheme, ground))).toBeGreaterThanOrEqual(4.5);
    },
  );
  it.each([...grounds, '--accent-soft', '--danger-soft', '--neutral-soft'])(
    'the focus ring on the background %s has a contrast of at least 3:1',
    (ground) => {
      expect(contrast(hex(scheme, '--accent-text'), hex(scheme, ground))).toBeGreaterThanOrEqual(3);
    },
  );
});
