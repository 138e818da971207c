import { defineConfig } from '@playwright/test';

/**
 * Debian's Chromium without a window: its pages take a third less processor time. CHROMIUM names another browser. The tests of
 * the extension start the whole Chromium, which alone loads extensions.
 */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** They start first: the worker that got one of them last would end alone. */
const long =
  /\/(axe|unsaved|lock|start-and-stop|lists|hostile-text|extension-chromium|extension-firefox|session-end)\.spec\.ts/;

export default defineConfig({
  testDir: '.',
  projects: [
    // Hostile texts make pages large, and other browsers run beside them.
    { name: 'long', testMatch: long, expect: { timeout: 60_000 } },
    { name: 'short', testIgnore: long },
  ],
  outputDir: 'results',
  // A test waits for pages and timers a part of its time: three workers keep two cores busy.
  workers: 3,
  // Far beyond any test's own time: a shared machine was measured ten times slower.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  // CI runs on a busy machine: one retry there. scripts/test.ts lists a test that needed it as FLAKY.
  retries: process.env.CI === 'true' ? 1 : 0,
  use: {
    locale: 'ru-RU',
    actionTimeout: 30_000,
    viewport: { width: 1440, height: 900 },
    // Traces cost more time than many tests; a failed test leaves a screenshot and the page's text.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      // Chromium's sandbox does not run as root.
      args: process.getuid?.() === 0 ? ['--no-sandbox', ...quiet] : quiet,
    },
  },
});
