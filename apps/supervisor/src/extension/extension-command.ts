import { chmodSync, chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readConfig } from '@propusk/api/config';
import { signingPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { damaged } from '../backup/backup-refused.ts';
import { readPassphrase } from '../backup/command-line.ts';
import { readSealed, type Sealed, sealKey, unsealKey } from '../backup/sealed-key.ts';
import { runCommand, say } from '../command.ts';
import { withSettings } from '../packaged/settings-file.ts';
import { writeSecret } from '../secrets.ts';
import { extensionId, publicKeyOf } from './crx.ts';
import { publishMozilla, signExtension } from './sign.ts';
import { readKey } from './signing-key.ts';

const unsigned = (browser: string) =>
  fileURLToPath(new URL(`../../../extension/dist/propusk-${browser}.zip`, import.meta.url));

/**
 * `extension-command.ts SETTINGS KEY SEALED [XPI]`. Runs as root, because the services must not read the key. Writes the signed builds
 * into EXTENSION_DIR, and the key, encrypted with the backup passphrase, into SEALED. With XPI, only publishes that Firefox build.
 */
await runCommand(async () => {
  const [settings = '', keyFile = '', sealedFile = '', xpi] = process.argv.slice(2);
  const { publicUrl, extensionDir } = readConfig(withSettings(settings, process.env));
  // NEXT_PASSPHRASE is the passphrase of future backups. After a restore, BACKUP_PASSPHRASE can be that of the restored backup.
  const passphrase = process.env.NEXT_PASSPHRASE || process.env.BACKUP_PASSPHRASE;
  const sealed = xpi === undefined ? await findKey(keyFile, sealedFile, extensionDir) : null;
  const zips = { chromium: unsigned('chromium'), firefox: unsigned('firefox') };
  const target = { keyFile, zips, folder: extensionDir, firefoxId: sealed?.firefoxId };
  const built =
    xpi === undefined
      ? await signExtension({ consoleUrl: publicUrl, ...target })
      : publishMozilla(xpi, extensionDir);
  say(signingPhrases.signed(built));
  if (built.xpiVersion !== built.version) say(signingPhrases.mozillaStays(built));
  if (!passphrase) say(signingPhrases.keepKey(keyFile));
  const key = passphrase ? readKey(keyFile) : null;
  if (key === null) return 0;
  // Seal on every run, because the passphrase may have changed.
  const checked = await readPassphrase({ BACKUP_PASSPHRASE: passphrase }, true);
  const draft = `${sealedFile}.new`;
  const ids = { id: extensionId(publicKeyOf(key)), firefoxId: built.firefoxId };
  const text = await sealKey(readFileSync(keyFile), ids, checked);
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  // Backups run as a user that reads the settings file through its group. The sealed key gets the same group.
  chownSync(draft, -1, statSync(settings).gid);
  chmodSync(draft, 0o640);
  renameSync(draft, sealedFile);
  return 0;
});

/**
 * Restores a missing key from its sealed copy, if there is one.
 * @returns the sealed copy; null when it is absent, or damaged while the key exists
 * @throws StartError when the sealed key differs from the key file; BackupRefused when the key is missing and its copy is damaged or
 *   needs a different passphrase
 */
async function findKey(keyFile: string, sealedFile: string, folder: string): Promise<Sealed | null> {
  const [key, sealed] = [readKey(keyFile), readSealed(sealedFile)];
  if (key !== null && sealed !== null && sealed.id !== extensionId(publicKeyOf(key)))
    throw new StartError(signingPhrases.otherSealed(keyFile, sealedFile, folder));
  if (key !== null || !existsSync(sealedFile)) return sealed;
  if (sealed === null) throw damaged(sealedFile);
  say(signingPhrases.unsealing(keyFile, sealedFile));
  await writeSecret(keyFile, await unsealKey(sealed, process.env));
  return sealed;
}
