import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium } from '@playwright/test';
import { names } from './extension-world.ts';

export const extension = fileURLToPath(new URL('../../apps/extension/dist/chromium', import.meta.url));

/** Debian's Chromium with the unpacked extension, as a user installs it. */
export interface ExtensionBrowser {
  readonly context: BrowserContext;
  /** The profile folder; the caller removes it. */
  readonly profile: string;
  readonly home: string;
}

/** Starts Chromium on a new profile. It resolves the host names of extension-world.ts to this machine. */
export async function launchWithExtension(): Promise<ExtensionBrowser> {
  const manifest = JSON.parse(await readFile(join(extension, 'manifest.json'), 'utf8')) as { key: string };
  // Chromium derives an unpacked extension's id from its key.
  const digest = createHash('sha256').update(Buffer.from(manifest.key, 'base64')).digest('hex').slice(0, 32);
  const id = digest.replace(/./g, (letter) => String.fromCharCode(97 + Number.parseInt(letter, 16)));
  const home = `chrome-extension://${id}`;
  const profile = await mkdtemp(join(tmpdir(), 'propusk-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    locale: 'ru-RU',
    // Playwright passes this switch by default, and it disables every extension.
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
