import { createTheme } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { dark, gray, pass } from './palette.ts';

const GOLOS = "'Golos Text', system-ui, sans-serif";
/** The corner radius of cards and controls. Tags and checkboxes inside them have a smaller one. */
const RADIUS = '8px';
const INNER_RADIUS = '4px';

/** The Mantine theme: fonts, spacing, corners and motion. palette.ts has the colours, tokens.ts their uses. */
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
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '24px', lineHeight: '32px' },
      h2: { fontSize: '18px', lineHeight: '24px' },
      h3: { fontSize: '15px', lineHeight: '24px' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Mantine has no Russian strings, so the theme labels its icon buttons for screen readers.
    CloseButton: { defaultProps: { 'aria-label': t.common.close } },
    ModalCloseButton: { defaultProps: { 'aria-label': t.common.close } },
    DrawerCloseButton: { defaultProps: { 'aria-label': t.common.close } },
    // Links are underlined: colour alone must not distinguish a link from the text around it (WCAG 1.4.1).
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
    // Without this role, the `<header>` of a dialog would be a banner landmark for screen readers.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
    Drawer: {
      defaultProps: {
        overlayProps: { backgroundOpacity: 1, color: 'var(--backdrop)' },
        transitionProps: { duration: 150 },
      },
    },
    Menu: {
      defaultProps: {
        shadow: 'md',
        transitionProps: { duration: 100 },
        // Mantine's focus placeholder would be a child of the menu that is no menu item, which ARIA forbids.
        withInitialFocusPlaceholder: false,
      },
    },
    // Menus and lists open inside the main landmark, because a screen reader cannot navigate to content outside of
    // all landmarks.
    Popover: { defaultProps: { portalProps: { target: '#content' } } },
    InputWrapper: {
      styles: { label: { marginBottom: 4, fontWeight: 500 }, description: { marginBottom: 4 } },
    },
    Text: { defaultProps: { size: 'sm' } },
  },
});
