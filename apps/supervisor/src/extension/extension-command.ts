import { chmodSync, chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig } from '@propusk/api/config';
import { signingPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { damaged } from '../backup/backup-refused.ts';
import { readPassphrase } from '../backup/command-line.ts';
import { readSealed, sealKey, unsealKey } from '../backup/sealed-key.ts';
import { runCommand, say } from '../command.ts';
import { withSettings } from '../packaged/settings-file.ts';
import { writeSecret } from '../secrets.ts';
import { extensionId, publicKeyOf } from './crx.ts';
import { publishMozilla, signExtension } from './sign.ts';
import { readKey } from './signing-key.ts';

const unsigned = (browser: string) =>
  fileURLToPath(new URL(`../../../extension/dist/propusk-${browser}.zip`, import.meta.url));

/**
 * `extension-command.ts SETTINGS KEY SEALED [XPI]`, as root: the services must not read the key. Writes into EXTENSION_DIR, and the key,
 * encrypted with the passphrase of backups, into SEALED. With a file it only publishes that Firefox build.
 */
await runCommand(async () => {
  const [settings = '', keyFile = '', sealedFile = '', xpi] = process.argv.slice(2);
  const { publicUrl, extensionDir } = readConfig(withSettings(settings, process.env));
  // BACKUP_PASSPHRASE may be that of a restored backup.
  const passphrase = process.env.NEXT_PASSPHRASE || process.env.BACKUP_PASSPHRASE;
  if (xpi === undefined) {
    await findKey(keyFile, sealedFile, extensionDir);
    const built = await signExtension({
      consoleUrl: publicUrl,
      keyFile,
      zips: { chromium: unsigned('chromium'), firefox: unsigned('firefox') },
      folder: extensionDir,
    });
    say(signingPhrases.signed(built));
    if (built.replacesMozilla) say(signingPhrases.mozillaReplaced(built));
    if (!passphrase) say(signingPhrases.keepKey(keyFile));
  } else say(signingPhrases.signed(publishMozilla(xpi, extensionDir)));
  const key = passphrase ? readKey(keyFile) : null;
  if (key === null) return 0;
  // The passphrase may have changed.
  const checked = await readPassphrase({ BACKUP_PASSPHRASE: passphrase }, true);
  const draft = `${sealedFile}.new`;
  const text = await sealKey(readFileSync(keyFile), extensionId(publicKeyOf(key)), checked);
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  // The user of the backups reads the settings by their group.
  chownSync(draft, -1, statSync(settings).gid);
  chmodSync(draft, 0o640);
  renameSync(draft, sealedFile);
  return 0;
});

/**
 * Restores a missing key from its sealed copy, if there is one.
 * @throws StartError when the copy holds another key; BackupRefused when it is damaged, or for another passphrase
 */
async function findKey(keyFile: string, sealedFile: string, folder: string): Promise<void> {
  const [key, sealed] = [readKey(keyFile), readSealed(sealedFile)];
  if (key !== null && sealed !== null && sealed.id !== extensionId(publicKeyOf(key)))
    throw new StartError(signingPhrases.otherSealed(keyFile, sealedFile, folder));
  if (key !== null || !existsSync(sealedFile)) return;
  if (sealed === null) throw damaged(sealedFile);
  say(signingPhrases.unsealing(keyFile, sealedFile));
  await writeSecret(keyFile, await unsealKey(sealed, process.env));
}
