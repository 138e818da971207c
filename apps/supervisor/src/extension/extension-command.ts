import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig } from '@propusk/api/config';
import { signingPhrases } from '@propusk/phrases/launcher';
import { runCommand, say } from '../command.ts';
import { withSettings } from '../packaged/settings-file.ts';
import { publishMozilla } from './mozilla.ts';
import { signExtension } from './sign.ts';

const unsigned = (browser: string) =>
  fileURLToPath(new URL(`../../../extension/dist/propusk-${browser}.zip`, import.meta.url));

/**
 * `extension-command.ts SETTINGS KEY [XPI]`, as root: the services must not read the key. Writes into EXTENSION_DIR. With a file it only
 * publishes that Firefox build.
 */
await runCommand(async () => {
  const [settings = '', keyFile = '', xpi] = process.argv.slice(2);
  const { publicUrl, extensionDir } = readConfig(withSettings(settings, process.env));
  if (xpi !== undefined) {
    say(signingPhrases.mozillaPublished(publishMozilla(xpi, extensionDir)));
    return 0;
  }
  const isNew = !existsSync(keyFile);
  const built = await signExtension({
    consoleUrl: publicUrl,
    keyFile,
    zips: { chromium: unsigned('chromium'), firefox: unsigned('firefox') },
    folder: extensionDir,
  });
  say(signingPhrases.signed(built));
  if (built.replacesMozilla) say(signingPhrases.mozillaReplaced(built));
  if (isNew) say(signingPhrases.keepKey(keyFile));
  return 0;
});
