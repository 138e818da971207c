import { createTheme } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { dark, gray, pass } from './palette.ts';

const GOLOS = "'Golos Text', system-ui, sans-serif";
/** One radius for all that has corners, and a smaller one for what lies inside: a tag, a checkbox. */
const RADIUS = '8px';
const INNER_RADIUS = '4px';

/** The look: type, space, corners, motion. Its colours are in palette.ts, what they are used for in tokens.ts. */
export const theme = createTheme({
  colors: { pass, gray, dark },
  primaryColor: 'pass',
  primaryShade: { light: 7, dark: 6 },
  black: gray[9],
  defaultRadius: 'sm',
  radius: { xs: INNER_RADIUS, sm: RADIUS, md: RADIUS, lg: RADIUS, xl: RADIUS },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  fontFamily: GOLOS,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '14px', md: '15px', lg: '17px', xl: '20px' },
  headings: {
    fontFamily: GOLOS,
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
    DrawerCloseButton: { defaultProps: { 'aria-label': t.common.close } },
    // By its colour alone a link in a line is not told from the text around it.
    Anchor: {
      defaultProps: { underline: 'always' },
      styles: {
        root: {
          textUnderlineOffset: 3,
          textDecorationColor: 'color-mix(in srgb, currentColor 40%, transparent)',
        },
      },
    },
    Button: { styles: { root: { fontWeight: 500 } } },
    Checkbox: { defaultProps: { radius: 'xs' } },
    Modal: {
      defaultProps: {
        centered: true,
        padding: 'lg',
        overlayProps: { backgroundOpacity: 1, color: 'var(--backdrop)' },
        transitionProps: { duration: 150, transition: 'fade' },
      },
      styles: {
        title: { fontSize: 18, fontWeight: 600, lineHeight: '24px' },
        content: { border: '1px solid var(--line)' },
      },
    },
    // A dialog's header is no banner of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
    Drawer: {
      defaultProps: {
        overlayProps: { backgroundOpacity: 1, color: 'var(--backdrop)' },
        transitionProps: { duration: 150 },
      },
    },
    // So narrow it still takes a letter, and rarely stands on a line of its own.
    MultiSelect: { styles: { inputField: { minWidth: 48 } } },
    Menu: {
      defaultProps: {
        shadow: 'md',
        transitionProps: { duration: 100 },
        // A menu holds items and nothing else.
        withInitialFocusPlaceholder: false,
      },
    },
    // Menus and lists open in the page's main part: beside its landmarks they would be nowhere to a screen reader.
    Popover: { defaultProps: { portalProps: { target: '#content' } } },
    InputWrapper: {
      styles: { label: { marginBottom: 4, fontWeight: 500 }, description: { marginBottom: 4 } },
    },
    Text: { defaultProps: { size: 'sm' } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { 'aria-label': t.form.showPassword } },
    },
  },
});
