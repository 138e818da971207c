import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { signingPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { writeSecret } from '../secrets.ts';

/** In bits: Chromium's own packer makes keys of this length. */
const MIN_BITS = 2048;
const NEW_BITS = 3072;

/** Writes a new RSA private key as PEM, readable only by the user of this process. */
export async function makeKey(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: NEW_BITS });
  await writeSecret(path, String(privateKey.export({ type: 'pkcs8', format: 'pem' })).trim());
}

/**
 * Reads the private key that signs the extension; null when the file does not exist.
 * @throws StartError when another user owns or can read the file, or it holds no RSA key of at least 2048 bits
 */
export function readKey(path: string): KeyObject | null {
  if (!existsSync(path)) return null;
  const { mode, uid } = statSync(path);
  if ((mode & 0o077) !== 0 || uid !== process.getuid?.())
    throw new StartError(signingPhrases.keyExposed(path));
  const key = parseKey(readFileSync(path));
  if (key?.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_BITS)
    throw new StartError(signingPhrases.keyUnfit(path));
  return key;
}

function parseKey(pem: Buffer): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
