import { createHash } from 'node:crypto';
import { lockComments } from '@propusk/phrases/locks';
import { ACME_PATH, headline, type Lock } from './lock.ts';

/** The nginx location that answers denied requests. */
const REFUSED = '/.propusk-refused';

/** nginx variables are global, so each site has its own names, short enough for `variables_hash_bucket_size`. */
function variable({ address }: Lock): string {
  return `$propusk_${createHash('sha256').update(address).digest('hex').slice(0, 8)}`;
}

function geo(source: string, name: string, values: readonly string[]): string[] {
  return [`geo ${source}${name} {`, '    default 0;', ...values.map((value) => `    ${value} 1;`), '}'];
}

/**
 * Returns the `map` of the variable that denies a request. nginx evaluates the variable again after every internal redirect.
 *
 * The rule for ACME challenges requires that `$uri` equals the requested path. `try_files` and `error_page` change `$uri` when
 * they redirect a request to an application, so the redirected request is denied.
 */
function shut(name: string, inside: string, admitted: string): string[] {
  return [
    `map "${inside} $request_method $request_uri $uri" ${name}_shut {`,
    '    volatile;',
    '    default 1;',
    `    "~^${admitted} " 0;`,
    `    "~^[01]+ (GET|HEAD) (${ACME_PATH}) \\2$" 0;`,
    '}',
  ];
}

/**
 * Returns the lines for the `server` block. A separate location answers denied requests. With a plain `return 403`, a site with
 * `error_page 403 @app` would run its application. With `return 403 "text"`, browsers could download the response, because the
 * site's `default_type` would apply.
 *
 * The location of the ACME challenges has an `error_page` for an unused status, because otherwise nginx would use the error pages
 * of the site.
 */
function serverPart(name: string): string[] {
  return [
    lockComments.nginxServerPart,
    `if (${name}_shut) { rewrite ^ ${REFUSED} last; }`,
    `location = ${REFUSED} {`,
    '    default_type text/plain;',
    '    return 403 "403 Forbidden\\n";',
    '}',
    lockComments.nginxOwnLocation,
    'location ^~ /.well-known/acme-challenge/ {',
    '    error_page 599 /;',
    '    try_files $uri =404;',
    '}',
  ];
}

function text(lock: Lock, httpPart: string[], name: string): string {
  return [headline(lock), lockComments.nginxHttpPart, ...httpPart, '', ...serverPart(name), ''].join('\n');
}

/** The lock texts for nginx: tables of allowed addresses, and a rule that denies requests before nginx selects a location. */
export function nginxTexts(lock: Lock) {
  const name = variable(lock);
  const direct = geo('', `${name}_in`, lock.egress);
  const cdn = [
    ...direct,
    ...geo('', `${name}_cdn`, lock.cdn),
    ...geo('$http_cf_connecting_ip ', `${name}_visitor`, lock.egress),
  ];
  const inside = `\${${name.slice(1)}_in}\${${name.slice(1)}_cdn}${name}_visitor`;
  return {
    nginx: text(lock, [...direct, ...shut(name, `${name}_in`, '1')], name),
    'nginx-cdn': text(lock, [...cdn, ...shut(name, inside, '(1..|011)')], name),
  };
}
