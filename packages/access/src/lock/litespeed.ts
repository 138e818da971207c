import { ACME_PATH, headline, type Lock, literal } from './lock.ts';

/**
 * Returns the lock text for LiteSpeed and OpenLiteSpeed, which apply only the rewrite rules of an .htaccess. The path of ACME
 * challenges is allowed only if its file exists, so a request for a missing file does not reach the application of the site.
 */
export function litespeedText(lock: Lock): string {
  // A server that listens on IPv6 may report an IPv4 visitor as an IPv4-mapped IPv6 address.
  const visitors = lock.egress.map(
    (address) => (address.includes(':') ? '' : '(::ffff:)?') + literal(address),
  );
  return [
    headline(lock),
    'RewriteEngine On',
    `RewriteCond %{REQUEST_URI} ^${ACME_PATH}$`,
    'RewriteCond %{QUERY_STRING} ^$',
    'RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} -f',
    'RewriteRule ^ - [L]',
    `RewriteCond %{REMOTE_ADDR} !^(${visitors.join('|')})$`,
    'RewriteRule ^ - [F,L]',
    '',
  ].join('\n');
}
