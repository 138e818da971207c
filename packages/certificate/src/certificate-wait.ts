import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingError } from '@propusk/contract/settings';
import { certificateWait } from '@propusk/phrases/certificates';
import { readCertificate, type TlsFiles } from './certificate-files.ts';

const RETRY_MS = 5_000;

/**
 * Resolves when both files hold a usable certificate. It reads them every 5 s: a certificate may come after the start, and the
 * rest of the product works without it.
 * @param say gets one sentence for the operator, again only when the reason changes
 */
export async function waitForCertificate(files: TlsFiles, say: (line: string) => void): Promise<void> {
  for (let said = ''; ; await sleep(RETRY_MS)) {
    try {
      return void (await readCertificate(files));
    } catch (error) {
      const line = explain(error);
      if (line !== said) say(line);
      said = line;
    }
  }
}

/** Names the user, the file and the command that grants access. */
function explain(error: unknown): string {
  if (!(error instanceof SettingError)) throw error;
  const { code, path } = (error.cause ?? {}) as NodeJS.ErrnoException;
  if (path !== undefined && code === 'ENOENT') return certificateWait.missing(path);
  if (path === undefined || (code !== 'EACCES' && code !== 'EPERM'))
    return certificateWait.unusable(error.message);
  return certificateWait.forbidden(userName(), path, dirname(path));
}

/** A container may run as a number without a name; setfacl takes both. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
