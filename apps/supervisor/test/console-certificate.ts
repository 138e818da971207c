import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { onTestFinished } from 'vitest';

/** A certificate for every host below example.ru from an authority of its own. `ca` is the path of the authority's certificate. */
export async function issueCertificate(
  machine: string,
): Promise<{ readonly cert: string; readonly key: string; readonly ca: string }> {
  const ca = await makeCertificate('DNS:ca.example.ru');
  onTestFinished(ca.remove);
  const [cert, key] = [join(machine, 'cert.pem'), join(machine, 'key.pem')];
  execFileSync('/usr/bin/openssl', [
    ...['req', '-x509', '-CA', ca.certPath, '-CAkey', ca.keyPath, '-days', '2', '-nodes'],
    ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-subj', '/CN=console'],
    ...['-addext', 'basicConstraints=critical,CA:FALSE', '-addext', 'subjectAltName=DNS:*.example.ru'],
    ...['-keyout', key, '-out', cert],
  ]);
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8'), ca: ca.certPath };
}
