import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import { t } from '../dictionary/dictionary.ts';

/** The one accent: logo, buttons, links, focus. Shade 7 on white is 6:1. */
const pass: MantineColorsTuple = [
  '#ebf7f4',
  '#d3ede7',
  '#a6dbcf',
  '#74c6b5',
  '#46ae9b',
  '#239a86',
  '#0f8574',
  '#0b6e60',
  '#08584d',
  '#05433b',
];
/** Greys with a breath of the accent. From 6 on they are readable as text on white. */
const gray: MantineColorsTuple = [
  '#f6f8f7',
  '#eef1f0',
  '#e3e8e6',
  '#d4dad8',
  '#b8c1be',
  '#8f9a97',
  '#616c69',
  '#485250',
  '#303937',
  '#1b2321',
];
const dark: MantineColorsTuple = [
  '#e3eae8',
  '#bac6c3',
  '#9aa8a4',
  '#74827e',
  '#3d4a47',
  '#2a3633',
  '#1b2523',
  '#121a18',
  '#0d1412',
  '#080d0c',
];

/** Every token of the look. */
export const theme = createTheme({
  colors: { pass, gray, dark },
  primaryColor: 'pass',
  primaryShade: { light: 7, dark: 6 },
  black: '#1b2321',
  defaultRadius: 'sm',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  fontFamily: "'Golos Text', system-ui, sans-serif",
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '14px', md: '15px', lg: '17px', xl: '20px' },
  headings: {
    fontFamily: "'Golos Text', system-ui, sans-serif",
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '24px', lineHeight: '32px' },
      h2: { fontSize: '18px', lineHeight: '24px' },
      h3: { fontSize: '15px', lineHeight: '24px' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Mantine speaks no Russian: whatever it renders without a visible name gets one here.
    CloseButton: { defaultProps: { 'aria-label': t.common.close } },
    ModalCloseButton: { defaultProps: { 'aria-label': t.common.close } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'md',
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.4, color: '#0d1412' },
        transitionProps: { duration: 150, transition: 'fade' },
      },
      styles: { title: { fontSize: 18, fontWeight: 600, lineHeight: '24px' } },
    },
    Drawer: { defaultProps: { transitionProps: { duration: 150 } } },
    Menu: { defaultProps: { shadow: 'md', radius: 'sm', transitionProps: { duration: 100 } } },
    InputWrapper: {
      styles: { label: { marginBottom: 4, fontWeight: 500 }, description: { marginBottom: 4 } },
    },
    Text: { defaultProps: { size: 'sm' } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': t.form.showPassword } },
    },
  },
});

/** Mantine's defaults for quiet text miss WCAG AA; these do not. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-error': '#c02626',
    '--mantine-color-placeholder': '#6d7875',
    '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
    '--mantine-color-disabled-color': '#7f8a87',
    '--line': 'var(--mantine-color-gray-2)',
    '--canvas': 'var(--mantine-color-gray-0)',
    '--surface': '#fff',
    '--accent-text': 'var(--mantine-color-pass-7)',
  },
  dark: {
    '--mantine-color-error': '#ff9a94',
    '--mantine-color-placeholder': '#83918d',
    '--line': 'var(--mantine-color-dark-5)',
    '--canvas': 'var(--mantine-color-dark-8)',
    '--surface': 'var(--mantine-color-dark-7)',
    '--accent-text': 'var(--mantine-color-pass-4)',
  },
});
