import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig } from '@propusk/api/config';
import { signingPhrases } from '@propusk/phrases/launcher';
import { runCommand, say } from '../command.ts';
import { withSettings } from '../packaged/settings-file.ts';
import { signExtension } from './sign.ts';

const unsigned = (browser: string) =>
  fileURLToPath(new URL(`../../../extension/dist/propusk-${browser}.zip`, import.meta.url));

/** `extension-command.ts SETTINGS KEY`, as root: the services must not read the key. Writes into EXTENSION_DIR. */
await runCommand(async () => {
  const [settings = '', keyFile = ''] = process.argv.slice(2);
  const { publicUrl, extensionDir } = readConfig(withSettings(settings, process.env));
  const isNew = !existsSync(keyFile);
  const built = await signExtension({
    consoleUrl: publicUrl,
    keyFile,
    zips: { chromium: unsigned('chromium'), firefox: unsigned('firefox') },
    folder: extensionDir,
  });
  say(signingPhrases.signed(built));
  if (isNew) say(signingPhrases.keepKey(keyFile));
  return 0;
});
