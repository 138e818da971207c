import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium } from '@playwright/test';
import { names } from './extension-world.ts';

/** The folder of the built extension. */
export const extension = fileURLToPath(new URL('../apps/extension/dist/chromium', import.meta.url));

/** Debian's Chromium with our extension in it, as a person has it: unpacked. */
export interface ExtensionBrowser {
  readonly context: BrowserContext;
  /** Its folder, which is the caller's to remove. */
  readonly profile: string;
  /** Where the extension's pages are. */
  readonly home: string;
}

/** Starts it on a profile of its own; the names of the extension's world lead to this machine. */
export async function launchWithExtension(): Promise<ExtensionBrowser> {
  const manifest = JSON.parse(await readFile(join(extension, 'manifest.json'), 'utf8')) as { key: string };
  // Chromium makes an unpacked extension's id of its key.
  const digest = createHash('sha256').update(Buffer.from(manifest.key, 'base64')).digest('hex').slice(0, 32);
  const id = digest.replace(/./g, (letter) => String.fromCharCode(97 + Number.parseInt(letter, 16)));
  const home = `chrome-extension://${id}`;
  const profile = await mkdtemp(join(tmpdir(), 'propusk-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    locale: 'ru-RU',
    // Playwright's own switch would keep every extension out.
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--disable-auto-reload'],
      `--host-resolver-rules=${names.map((name) => `MAP ${name} 127.0.0.1`).join(',')}`,
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
  });
  return { context, profile, home };
}
