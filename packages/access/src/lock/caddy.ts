import type { Snippet } from '@propusk/contract/lock';
import { cdnNotes, everyLockButFiles, headline, type Lock, literal } from './lock.ts';

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
    '\t\t# Дальше, здесь же, всё, что было в блоке сайта',
    '\t}',
    '}',
    '',
  ].join('\n');
}

/** With a wildcard goes the name above it: the site is both. */
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

const place = 'В Caddyfile: блок сайта целиком, а в route { } — всё, что было в нём прежде';
const notes = [
  'Перенесите внутрь route { } весь блок сайта, кроме tls, log и bind. Снаружи Caddy выполняет строки в своём порядке, и handle или redir сработают раньше замка.',
  'В первой строке оставьте все имена, какие были. Если имя сайта названо и в других блоках, закройте и их.',
  'Перед перезагрузкой проверьте настройки: caddy validate --config /etc/caddy/Caddyfile. Затем: systemctl reload caddy.',
  'Сертификат Caddy продлевает сам, раньше этих строк, поэтому исключения для него нет. Если сертификат получает другая программа (certbot с webroot), пусть она подтверждает домен через DNS.',
];

/** The lines for Caddy 2: inside `route` the order is the order of the lines. */
export function caddySnippets(lock: Lock): Snippet[] {
  const direct = `not remote_ip ${lock.egress.join(' ')}`;
  return [
    {
      kind: 'caddy',
      title: 'Caddy',
      place,
      text: text(lock, [direct]),
      notes: [...notes, ...everyLockButFiles],
    },
    {
      kind: 'caddy-cdn',
      title: 'Caddy за Cloudflare',
      place,
      text: text(lock, [direct, ...throughCdn(lock)]),
      notes: [...cdnNotes, ...notes, ...everyLockButFiles],
    },
  ];
}
