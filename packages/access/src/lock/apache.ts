import { lockComments } from '@propusk/phrases/locks';
import { ACME_TOKEN, headline, type Lock } from './lock.ts';

/**
 * Allows the request for an ACME challenge only if the challenge file exists on disk. A rule for the path alone would also open a
 * CMS that serves every path, an application behind ProxyPass, and error pages.
 */
const acme = `Require expr "%{REQUEST_URI} =~ m#^${ACME_TOKEN}$# && -f %{REQUEST_FILENAME} && %{REQUEST_FILENAME} -strmatch '*/$1'"`;

/**
 * Returns the directives that match allowed visitors. The CDN header is compared as text, because Cloudflare
 * sends addresses in the canonical spelling that the lock uses.
 */
function visitors({ egress, cdn }: Lock, behindCdn: boolean): string[] {
  const direct = `Require ip ${egress.join(' ')}`;
  if (!behindCdn) return [direct];
  return [
    direct,
    '<RequireAll>',
    `    Require ip ${cdn.join(' ')}`,
    `    Require expr "${named(egress)}"`,
    '</RequireAll>',
  ];
}

function visitorExpression({ egress, cdn }: Lock, behindCdn: boolean): string {
  const from = (list: readonly string[]) => list.map((each) => `-R '${each}'`).join(' || ');
  return behindCdn ? `${from(egress)} || ((${from(cdn)}) && ${named(egress)})` : from(egress);
}

function named(egress: readonly string[]): string {
  return `%{HTTP:CF-Connecting-IP} in { ${egress.map((address) => `'${address}'`).join(', ')} }`;
}

/**
 * Returns a lock text for both `.htaccess` and the server configuration. In `.htaccess`, the lock needs only `AllowOverride
 * AuthConfig`. In the server configuration, the lock also covers Alias and ProxyPass.
 *
 * The first `<If>` allows only visitors from the allowed addresses, and ACME challenges. Apache merges `<If>` after all other
 * sections, so a Require in a nested .htaccess or a Location cannot override this `<If>`. `AuthMerging And` keeps the rules of
 * the site, such as a password or a denied folder.
 *
 * The second `<If>` overrides `Satisfy Any` of Apache 2.2, which bypasses every Require. This `<If>` also discards `Deny from` of
 * Apache 2.2, so it must not apply to allowed visitors.
 *
 * The third `<If>` gives internal redirects a different configuration, so that Apache checks authorization again. Otherwise
 * `ErrorDocument 403 /index.php` would show the application to denied visitors.
 */
function text(lock: Lock, behindCdn: boolean): string {
  const admitted = visitors(lock, behindCdn);
  return [
    headline(lock),
    '<If "true">',
    '    AuthMerging And',
    ...indent(any([...admitted, acme])),
    '</If>',
    lockComments.satisfyAny,
    '<IfModule mod_access_compat.c>',
    `    <If "!(${visitorExpression(lock, behindCdn)})">`,
    '        Satisfy All',
    '    </If>',
    '</IfModule>',
    lockComments.internalRedirects,
    '<If "-n %{ENV:REDIRECT_STATUS}">',
    '    AuthMerging And',
    ...indent(any(admitted)),
    '</If>',
    '',
  ].join('\n');
}

/** Makes mod_cache answer after authorization instead of before. Apache does not allow this directive in `.htaccess`. */
function inSettings(lines: string): string {
  return `${lines}<IfModule mod_cache.c>\n    CacheQuickHandler off\n</IfModule>\n`;
}

function any(lines: readonly string[]): string[] {
  return ['<RequireAny>', ...indent(lines), '</RequireAny>'];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `    ${line}`);
}

/** Lock texts for Apache 2.4: for `.htaccess` and for the server's configuration, with a CDN and without. */
export function apacheTexts(lock: Lock) {
  const [plain, cdn] = [text(lock, false), text(lock, true)];
  return {
    htaccess: plain,
    apache: inSettings(plain),
    'htaccess-cdn': cdn,
    'apache-cdn': inSettings(cdn),
  };
}
