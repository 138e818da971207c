import { lockComments } from '@propusk/phrases/locks';

/** The input from which a lock text is generated. */
export interface Lock {
  /** The validated site address, such as `*.example.ru` or `crm.example.ru:8443`. Lock texts name the address in a comment. */
  readonly address: string;
  /** The addresses that the lock allows: one or more canonical address literals. */
  readonly egress: readonly string[];
  /** The networks of the CDN: one or more, in canonical form. */
  readonly cdn: readonly string[];
}

/**
 * The path of an ACME challenge (RFC 8555 section 8.3), as a regular expression. The token is base64url. A path with dots,
 * slashes or percent signs in the token does not match, so each challenge has only one matching path.
 */
const token = '[A-Za-z0-9_-]+';
const folder = '/\\.well-known/acme-challenge/';
export const ACME_PATH = `${folder}${token}`;
/** The regular expression `ACME_PATH` with a capturing group around the token. */
export const ACME_TOKEN = `${folder}(${token})`;

/** The first line of every lock text: a comment that names the site. */
export const headline = ({ address }: Lock) => lockComments.headline(address);

/** Returns a regular expression that matches only the given address literal. */
export function literal(address: string): string {
  return address.replaceAll('.', '\\.');
}
