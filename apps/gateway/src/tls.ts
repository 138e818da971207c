import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import { SettingError } from '@propusk/contract/settings';
import { startErrors } from '@propusk/phrases/gateway';
import type { Log } from './log.ts';

/**
 * The certificate of an HTTPS proxy. TLS between browser and gateway hides names of sites and the Basic token. A renewed
 * certificate is loaded while the gateway runs; open connections keep the old one.
 */

export interface TlsFiles {
  /** Paths of PEM files: the certificate with its chain, and its key. */
  readonly cert: string;
  readonly key: string;
}

/** The interval of reading the files. A watch would miss renewals that swap symbolic links. */
const LOOK_MS = 5_000;

/** Reads both files. @throws SettingError with one line that names the setting and what is wrong */
export async function readCertificate({ cert, key }: TlsFiles): Promise<SecureContextOptions> {
  const pair = {
    cert: await readPem('GATEWAY_TLS_CERT', cert),
    key: await readPem('GATEWAY_TLS_KEY', key),
  };
  try {
    createSecureContext({ cert: pair.cert });
  } catch {
    throw new SettingError(startErrors.certificate(cert));
  }
  try {
    createSecureContext(pair);
  } catch {
    throw new SettingError(startErrors.key(key));
  }
  return pair;
}

async function readPem(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    throw new SettingError(startErrors.unreadable(path, code, setting));
  }
}

/**
 * Loads each renewed certificate. A pair that does not match, as in the middle of a renewal, changes nothing.
 * @returns a function that stops it
 */
export function followCertificate(
  server: Server,
  files: TlsFiles,
  first: SecureContextOptions,
  log: Log,
): () => void {
  let current = first;
  let complaint = '';
  const timer = setInterval(async () => {
    try {
      const now = await readCertificate(files);
      complaint = '';
      if (now.cert === current.cert && now.key === current.key) return;
      server.setSecureContext(now);
      current = now;
      log.info('Certificate renewed');
    } catch (error) {
      const fault = error instanceof Error ? error.message : 'unknown';
      if (fault !== complaint) log.error({ fault }, 'Cannot renew the certificate, keeping the last one');
      complaint = fault;
    }
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
