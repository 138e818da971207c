import { createHash } from 'node:crypto';
import type { Snippet } from '@propusk/contract/lock';
import { ACME_PATH, cdnNotes, everyLock, headline, type Lock } from './lock.ts';

/** Where the second part begins: the two go to different places. */
const SERVER_PART = '# 2. Первыми строками в каждый server { } этого сайта';
/** The path that refusals are led to: nobody finds anything else there. */
const REFUSED = '/.propusk-refused';

/** Variables are seen by the whole server, so each site has names of its own, short enough for its hash table. */
function variable({ address }: Lock): string {
  return `$propusk_${createHash('sha256').update(address).digest('hex').slice(0, 8)}`;
}

function geo(source: string, name: string, values: readonly string[]): string[] {
  return [`geo ${source}${name} {`, '    default 0;', ...values.map((value) => `    ${value} 1;`), '}'];
}

/**
 * Whether to shut, computed anew for every internal redirect. The file of a certificate authority passes only while the
 * path that was asked for, byte by byte and without a query, is the path being served: not after `try_files` or
 * `error_page` went on to an application.
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
 * What is refused is led to a location of ours: a server's `return` would be led on by the owner's `error_page 403 @app`,
 * which passes by every check, and with a text of its own it goes out as `default_type`, which browsers take for a broken
 * download. Under the certificate's path nothing but a file answers; an `error_page` for a status that never comes keeps
 * the inherited ones out.
 */
function serverPart(name: string): string[] {
  return [
    SERVER_PART,
    `if (${name}_shut) { rewrite ^ ${REFUSED} last; }`,
    `location = ${REFUSED} {`,
    '    default_type text/plain;',
    '    return 403 "403 Forbidden\\n";',
    '}',
    '# Если такой location у вас уже есть, оставьте свой, а этот не вставляйте',
    'location ^~ /.well-known/acme-challenge/ {',
    '    error_page 599 /;',
    '    try_files $uri =404;',
    '}',
  ];
}

function text(lock: Lock, httpPart: string[], name: string): string {
  return [
    headline(lock),
    '# 1. Вне server { }: отдельным файлом в /etc/nginx/conf.d/ или в блок http { }',
    ...httpPart,
    '',
    ...serverPart(name),
    '',
  ].join('\n');
}

const place =
  'Часть 1 — отдельным файлом в /etc/nginx/conf.d/, часть 2 — первыми строками в каждый server { } сайта (и порта 80, и порта 443)';
const notes = [
  'Часть 2 стоит прямо в server { }, раньше других rewrite, return и if. Там она закрывает и location с return, и location со своим allow.',
  'Перед перезагрузкой проверьте настройки: nginx -t. Затем: systemctl reload nginx.',
  'Если сайт отвечает и в других server { } (default_server, другое имя), вставьте часть 2 и туда.',
  'Если nginx -t говорит «duplicate location», у вас уже есть место для файлов сертификата: удалите вставленный location, а if оставьте.',
  'Если certbot кладёт файлы не в корневую папку сайта, впишите в этот location строку root с их папкой.',
  'Нужен nginx 1.11.7 (2016 год) или новее.',
  'Если стоит real_ip_header, то set_real_ip_from должен называть только ваши прокси: иначе адрес посетителя подделывают заголовком.',
];

/** The lines for nginx: an address table, and a refusal that comes before any location. */
export function nginxSnippets(lock: Lock): Snippet[] {
  const name = variable(lock);
  const direct = geo('', `${name}_in`, lock.egress);
  const cdn = [
    ...direct,
    ...geo('', `${name}_cdn`, lock.cdn),
    ...geo('$http_cf_connecting_ip ', `${name}_visitor`, lock.egress),
  ];
  return [
    {
      kind: 'nginx',
      title: 'nginx',
      place,
      text: text(lock, [...direct, ...shut(name, `${name}_in`, '1')], name),
      notes: [...notes, ...everyLock],
    },
    {
      kind: 'nginx-cdn',
      title: 'nginx за Cloudflare',
      place,
      text: text(
        lock,
        [...cdn, ...shut(name, `\${${bare(name)}_in}\${${bare(name)}_cdn}${name}_visitor`, '(1..|011)')],
        name,
      ),
      notes: [...cdnNotes, ...notes, ...everyLock],
    },
  ];
}

function bare(name: string): string {
  return name.slice(1);
}
