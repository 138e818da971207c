import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from './client.ts';

/** A self-signed certificate, as files and as text. */
export interface Certificate {
  readonly certPath: string;
  readonly keyPath: string;
  readonly cert: string;
  readonly key: string;
  remove(): Promise<void>;
}

/** Creates a certificate for names and addresses (`DNS:crm.company.test`, `IP:127.0.0.1`). */
export async function makeCertificate(...names: string[]): Promise<Certificate> {
  requireProgram('/usr/bin/openssl', 'openssl');
  const folder = await mkdtemp(join(tmpdir(), 'propusk-cert-'));
  const [certPath, keyPath] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await promisify(execFile)('/usr/bin/openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=propusk test', '-addext', `subjectAltName=${names.join(',')}`],
    ...['-keyout', keyPath, '-out', certPath],
  ]);
  return {
    certPath,
    keyPath,
    cert: await readFile(certPath, 'utf8'),
    key: await readFile(keyPath, 'utf8'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
