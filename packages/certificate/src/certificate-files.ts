import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type Server } from 'node:tls';
import { SettingError } from '@propusk/contract/settings';
import { certificateFaults } from '@propusk/phrases/certificates';

/** The certificate files of a TLS server. A renewed certificate is loaded while the server runs; open connections keep the old one. */

export interface TlsFiles {
  /** Paths of PEM files: the certificate with its chain, and its key. */
  readonly cert: string;
  readonly key: string;
  /** The settings that name the files. */
  readonly settings: readonly [cert: string, key: string];
}

/** The part of a pino logger that this package uses. */
export interface CertificateLog {
  info(message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
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
export async function readCertificate({ cert, key, settings }: TlsFiles): Promise<Certificate> {
  const pair = { cert: await readPem(settings[0], cert), key: await readPem(settings[1], key) };
  try {
    createSecureContext({ cert: pair.cert });
  } catch {
    throw new SettingError(certificateFaults.certificate(cert, settings[0]));
  }
  try {
    createSecureContext(pair);
  } catch {
    throw new SettingError(certificateFaults.key(key, settings[1]));
  }
  return pair;
}

async function readPem(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    throw new SettingError(certificateFaults.unreadable(path, code, setting), { cause: error });
  }
}

/** The end of a certificate's validity, in milliseconds since 1970. */
export const expiryOf = ({ cert }: Certificate): number => Date.parse(new X509Certificate(cert).validTo);

/** @returns a function that logs one warning 30, 7, 1 and 0 days before the given time */
export function warnOfExpiry(log: Pick<CertificateLog, 'warn'>): (expiresAt: number) => void {
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
 * @param served the certificate in use, which a renewal replaces; undefined while there is none
 * @returns a function that stops the reading
 */
export function followCertificate(
  server: Server,
  files: TlsFiles,
  served: { certificate?: Certificate },
  log: CertificateLog,
): () => void {
  const warn = warnOfExpiry(log);
  let complaint = '';
  const look = async () => {
    if (served.certificate !== undefined) warn(expiryOf(served.certificate));
    try {
      const now = await readCertificate(files);
      complaint = '';
      if (now.cert === served.certificate?.cert && now.key === served.certificate.key) return;
      server.setSecureContext(now);
      served.certificate = now;
      log.info('Certificate loaded');
    } catch (error) {
      const fault = error instanceof Error ? error.message : 'unknown';
      const isAbsent =
        error instanceof SettingError && (error.cause as NodeJS.ErrnoException)?.code === 'ENOENT';
      if (fault === complaint) return;
      // At the first start the CA issues it a moment later.
      if (isAbsent && served.certificate === undefined) log.warn({ fault }, 'Waiting for the certificate');
      else log.error({ fault }, 'Cannot load the certificate, keeping the last one');
      complaint = fault;
    }
  };
  void look();
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}
