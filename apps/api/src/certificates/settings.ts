import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import type { TlsFiles } from '@propusk/certificate/certificate-files';
import { Email } from '@propusk/contract/fields';
import { plain, type readSettings, SettingError, setting, wholeNumber } from '@propusk/contract/settings';
import { tlsRefusals, tlsSettingValues as values } from '@propusk/phrases/certificates';
import * as z from 'zod/mini';
import type { Authority } from './issue.ts';

/** The settings of TLS (ADR 025). */
export const tlsSettings = {
  TLS: setting(values.tls, z._default(z.enum(['auto', 'files', 'off']), 'off')),
  TLS_CERT: plain(values.cert),
  TLS_KEY: plain(values.key),
  TLS_DIR: plain(values.folder),
  HTTPS_PORT: wholeNumber(443, 1, 65535),
  HTTP_PORT: wholeNumber(80, 1, 65535),
  ACME_MAIL: setting(values.mail, z.optional(Email)),
  ACME_DIRECTORY: setting(
    values.directory,
    z._default(
      z.string().check(z.refine((text) => text.startsWith('https://') && URL.canParse(text))),
      'https://acme-v02.api.letsencrypt.org/directory',
    ),
  ),
  ACME_CA: plain(values.ca),
};

/** A certificate that the api gets and renews. */
export interface Order {
  readonly name: string;
  /** The files to which the certificate and key are written: two pairs if console and gateway share a name. */
  readonly places: readonly TlsFiles[];
}

export interface TlsConfig {
  readonly httpsPort: number;
  readonly httpPort: number;
  readonly console: TlsFiles;
  /** The files of the gateway's certificate; undefined when the api does not renew this certificate. */
  readonly gateway: TlsFiles | undefined;
  /** The CA and the certificates to order from it; undefined for TLS=files. */
  readonly acme:
    | { readonly authority: Authority; readonly accountKey: string; readonly orders: Order[] }
    | undefined;
}

/** Validates the TLS settings together. @throws SettingError for a contradiction or an unreadable ACME_CA */
export function tlsConfig(
  s: ReturnType<typeof readSettings<typeof tlsSettings>>,
  where: { publicUrl: URL; gatewayUrl: URL; dataDir: string },
): TlsConfig | undefined {
  if (s.TLS === 'off') return undefined;
  const { publicUrl, gatewayUrl, dataDir } = where;
  if (publicUrl.protocol !== 'https:' || (s.TLS === 'auto' && !isName(publicUrl)))
    throw new SettingError(tlsRefusals.publicUrl(s.TLS));
  const ports = { httpsPort: s.HTTPS_PORT, httpPort: s.HTTP_PORT };
  if (s.TLS === 'files') {
    if (s.TLS_CERT === undefined || s.TLS_KEY === undefined) throw new SettingError(tlsRefusals.files());
    const console: TlsFiles = { cert: s.TLS_CERT, key: s.TLS_KEY, settings: ['TLS_CERT', 'TLS_KEY'] };
    return { ...ports, console, gateway: undefined, acme: undefined };
  }
  const folder = join(dataDir, 'tls');
  const console = filesIn(join(folder, 'console'), 'DATA_DIR');
  const servesTls = gatewayUrl.protocol === 'https:' && isName(gatewayUrl);
  const gateway = servesTls
    ? filesIn(join(resolve(s.TLS_DIR ?? folder), 'gateway'), s.TLS_DIR === undefined ? 'DATA_DIR' : 'TLS_DIR')
    : undefined;
  const shared = gateway !== undefined && gatewayUrl.hostname === publicUrl.hostname;
  const orders = [{ name: publicUrl.hostname, places: shared ? [console, gateway] : [console] }];
  if (gateway !== undefined && !shared) orders.push({ name: gatewayUrl.hostname, places: [gateway] });
  const authority = { directory: s.ACME_DIRECTORY, ca: readCa(s.ACME_CA), mail: s.ACME_MAIL };
  return { ...ports, console, gateway, acme: { authority, accountKey: join(folder, 'account.pem'), orders } };
}

const filesIn = (folder: string, by: string): TlsFiles => ({
  cert: join(folder, 'cert.pem'),
  key: join(folder, 'key.pem'),
  settings: [by, by],
});

const isName = ({ hostname }: URL) =>
  hostname.includes('.') && isIP(hostname) === 0 && !hostname.startsWith('[');

function readCa(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new SettingError(tlsRefusals.ca(path));
  }
}
