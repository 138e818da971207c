import { createHash, createPublicKey } from 'node:crypto';

const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]+)$/;

/**
 * Answers HTTP-01 (RFC 8555 section 8.3) for every token: the key authorization depends on the token and the account key alone.
 * It keeps no state: any process with the account key answers, also one that did not ask the CA.
 * @param accountKey PEM, ECDSA P-256
 * @returns a function from a request's path to the response's text; undefined for other paths
 */
export function answerChallenges(accountKey: string): (path: string | undefined) => string | undefined {
  const { crv, kty, x, y } = createPublicKey(accountKey).export({ format: 'jwk' });
  // RFC 7638: the members in alphabetical order.
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return (path = '') => {
    const token = CHALLENGE.exec(path)?.[1];
    return token && `${token}.${thumbprint}`;
  };
}
