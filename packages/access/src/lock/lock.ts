import { lockComments } from '@propusk/phrases/locks';

/** The input from which a lock text is generated. */
export interface Lock {
  /** The stored site address (`crm.example.ru`, `*.example.ru`, `crm.example.ru:8443`), validated: it goes into comments. */
  readonly address: string;
  /** Addresses that the lock allows: canonical literals, at least one. */
  readonly egress: readonly string[];
  /** The CDN's networks: canonical, at least one. */
  readonly cdn: readonly string[];
}

/**
 * The path of an ACME challenge (RFC 8555 section 8.3), as a regular expression. The token is base64url; without dots, slashes
 * and percent signs, no other spelling of a path matches.
 */
const token = '[A-Za-z0-9_-]+';
const folder = '/\\.well-known/acme-challenge/';
export const ACME_PATH = `${folder}${token}`;
/** `ACME_PATH` with the token as a capturing group. */
export const ACME_TOKEN = `${folder}(${token})`;

/** The first line of every lock text: a comment that names the site. */
export const headline = ({ address }: Lock) => lockComments.headline(address);

/** An address literal as a regular expression that matches nothing else. */
export function literal(address: string): string {
  return address.replaceAll('.', '\\.');
}
