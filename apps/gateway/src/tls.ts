import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type Server } from 'node:tls';
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

/** A certificate with its chain, and its key, as PEM texts. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
/** The log warns when fewer days are left. */
const WARN_DAYS = [0, 1, 7, 30];

/** The interval of reading the files. A watch would miss renewals that swap symbolic links. */
const LOOK_MS = 5_000;

/** Reads both files. @throws SettingError with one line that names the setting and what is wrong */
export async function readCertificate({ cert, key }: TlsFiles): Promise<Certificate> {
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

/** The end of a certificate's validity, in milliseconds since 1970. */
export const expiryOf = ({ cert }: Certificate): number => Date.parse(new X509Certificate(cert).validTo);

/** @returns a function that logs one warning 30, 7, 1 and 0 days before the given time */
export function warnOfExpiry(log: Log): (expiresAt: number) => void {
  let warned = Number.POSITIVE_INFINITY;
  let last = 0;
  return (expiresAt) => {
    // A renewed certificate gets its own warnings.
    if (expiresAt !== last) warned = Number.POSITIVE_INFINITY;
    last = expiresAt;
    const days = (expiresAt - Date.now()) / DAY_MS;
    const step = WARN_DAYS.find((each) => days < each);
    if (step === undefined || step >= warned) return;
    warned = step;
    log.warn({ expires: new Date(expiresAt).toISOString() }, 'The certificate expires soon');
  };
}

/**
 * Loads each renewed certificate, and warns before the end of the current one. A pair that does not match, as in the
 * middle of a renewal, changes nothing.
 * @param served the certificate in use, which a renewal replaces
 * @returns a function that stops the reading
 */
export function followCertificate(
  server: Server,
  files: TlsFiles,
  served: { certificate: Certificate },
  log: Log,
): () => void {
  const warn = warnOfExpiry(log);
  warn(expiryOf(served.certificate));
  let complaint = '';
  const timer = setInterval(async () => {
    warn(expiryOf(served.certificate));
    try {
      const now = await readCertificate(files);
      complaint = '';
      const { cert, key } = served.certificate;
      if (now.cert === cert && now.key === key) return;
      server.setSecureContext(now);
      served.certificate = now;
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
