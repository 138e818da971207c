import { defineConfig } from '@playwright/test';

/** Debian's Chromium; elsewhere CHROMIUM names another. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export default defineConfig({
  testDir: '.',
  outputDir: 'results',
  // Most of a test is waiting for a page or for a clock: two files at once take little more than half the time.
  workers: 2,
  // Far beyond what any takes by itself: a machine that others use at the same time was seen ten times slower.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  forbidOnly: true,
  use: {
    locale: 'ru-RU',
    actionTimeout: 30_000,
    viewport: { width: 1440, height: 900 },
    // A trace of every test takes longer than many of them; a failed one leaves its picture and its page as text.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      // Chromium's own sandbox refuses to run as root.
      args: process.getuid?.() === 0 ? ['--no-sandbox', ...quiet] : quiet,
    },
  },
});
