import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Certificate } from '@propusk/certificate/certificate-files';

/** The CA's ACME server (RFC 8555). */
export interface Authority {
  readonly directory: string;
  /** A CA certificate in PEM. It is trusted for HTTPS to the ACME server, in addition to the public CAs. */
  readonly ca?: string | undefined;
  /** The email address to which the CA sends expiry warnings. */
  readonly mail?: string | undefined;
}

/** The timeout for one response of the CA, because acme-client itself sets no timeout. */
const RESPONSE_MS = 30_000;
const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]+)$/;

/** Creates a private key: ECDSA P-256, PKCS #8, PEM. */
export function createKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/**
 * Answers HTTP-01 challenges (RFC 8555 section 8.3) for every token: the key authorization depends only on the token and the
 * account key. No state is kept, so any api process with the account key can answer the CA.
 * @param accountKey PEM, ECDSA P-256
 * @returns a function from a request's path to the response's text; undefined for other paths
 */
export function answerChallenges(accountKey: string): (path: string | undefined) => string | undefined {
  const { crv, kty, x, y } = createPublicKey(accountKey).export({ format: 'jwk' });
  // RFC 7638 requires the members of the key in alphabetical order.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return (path = '') => {
    const token = CHALLENGE.exec(path)?.[1];
    return token && `${token}.${thumbprint}`;
  };
}

/**
 * Gets a certificate with its chain for one DNS name. Challenge requests to port 80 of the name must reach `answerChallenges`.
 * @param accountKey the private key of the ACME account, in PEM; `answerChallenges` must use the same key. The first call with
 *   this key creates the account at the CA
 * @throws Error with the CA's reason, or the error of the connection to the CA
 */
export async function issue(authority: Authority, accountKey: string, name: string): Promise<Certificate> {
  // acme-client is loaded on demand, because most starts order no certificate.
  const { axios, Client, crypto } = await import('acme-client');
  axios.defaults.timeout = RESPONSE_MS;
  // Removes the interceptors of acme-client. They retry immediately, although a CA limits the rate of failures, and they replace
  // connection errors by a TypeError.
  axios.interceptors.request.clear();
  axios.interceptors.response.clear();
  const ca = authority.ca === undefined ? [] : [authority.ca];
  axios.defaults.httpsAgent = new Agent({ ca: [...rootCertificates, ...ca] });
  const client = new Client({ directoryUrl: authority.directory, accountKey, backoffMin: 1_000 });
  // Looks for an existing account, because auto() would send such an account an empty update, which a CA may
  // refuse. Without an account, auto() creates one.
  await client.createAccount({ onlyReturnExisting: true }).catch(() => {});
  const key = createKey();
  const [, csr] = await crypto.createCsr({ altNames: [name] }, key);
  const cert = await client.auto({
    csr,
    ...(authority.mail !== undefined && { email: authority.mail }),
    termsOfServiceAgreed: true,
    challengePriority: ['http-01'],
    // acme-client's own check of the challenge is skipped, because a machine behind NAT may be unable to reach its public name.
    skipChallengeVerification: true,
    challengeCreateFn: async () => {},
    challengeRemoveFn: async () => {},
  });
  return { cert, key };
}

/**
 * Tests whether the CA issues certificates for the names: requests one for each name, and discards the certificates.
 * @param names DNS names @param httpPort a free port of this machine, to which requests to port 80 of the names must lead
 * @throws Error with the CA's reason for the first refused name; EADDRINUSE or EACCES when `httpPort` cannot be opened
 */
export async function tryIssue(
  authority: Authority,
  names: readonly string[],
  httpPort: number,
): Promise<void> {
  const accountKey = createKey();
  const answer = answerChallenges(accountKey);
  const server = createServer((req, res) => res.end(answer(req.url)));
  await once(server.listen(httpPort), 'listening');
  try {
    for (const name of names) await issue(authority, accountKey, name);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
