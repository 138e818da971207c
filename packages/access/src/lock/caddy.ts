import { lockComments } from '@propusk/phrases/locks';
import { headline, type Lock, literal } from './lock.ts';

function text(lock: Lock, admitted: string[]): string {
  return [
    headline(lock),
    `${names(lock)} {`,
    '\troute {',
    '\t\t@propusk_shut {',
    ...admitted.map((line) => `\t\t\t${line}`),
    '\t\t}',
    '\t\trespond @propusk_shut "403 Forbidden" 403',
    '',
    `\t\t${lockComments.caddyRest}`,
    '\t}',
    '}',
    '',
  ].join('\n');
}

/** Returns the names of the site block. For a wildcard site, they include the parent name, which the lock also covers. */
function names({ address }: Lock): string {
  return address.startsWith('*.') ? `${address.slice(2)}, ${address}` : address;
}

function throughCdn({ egress, cdn }: Lock): string[] {
  return [
    'not {',
    `\tremote_ip ${cdn.join(' ')}`,
    `\theader_regexp CF-Connecting-IP ^(${egress.map(literal).join('|')})$`,
    '}',
  ];
}

/** Returns configurations that lock a site on Caddy 2. They use `route`, because `route` runs directives in the written order. */
export function caddyTexts(lock: Lock) {
  const direct = `not remote_ip ${lock.egress.join(' ')}`;
  return { caddy: text(lock, [direct]), 'caddy-cdn': text(lock, [direct, ...throughCdn(lock)]) };
}
