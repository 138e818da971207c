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
  // Each file starts the product; two of them at once would only make each other slow.
  workers: 1,
  timeout: 90_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  use: {
    locale: 'ru-RU',
    actionTimeout: 15_000,
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      // Chromium's own sandbox refuses to run as root.
      args: process.getuid?.() === 0 ? ['--no-sandbox', ...quiet] : quiet,
    },
  },
});
