import type { Snippet } from '@propusk/contract/lock';
import { ACME_PATH, everyLock, headline, type Lock, literal } from './lock.ts';

/**
 * The lines for LiteSpeed and OpenLiteSpeed, which of an .htaccess honours only the rules of rewriting. A path of a
 * certificate's file passes only when the file is there: an application that takes every path does not answer under it.
 */
export function litespeedSnippet(lock: Lock): Snippet {
  // A server that listens on IPv6 may name an IPv4 visitor in the mapped form.
  const visitors = lock.egress.map(
    (address) => (address.includes(':') ? '' : '(::ffff:)?') + literal(address),
  );
  return {
    kind: 'litespeed',
    title: 'LiteSpeed и OpenLiteSpeed',
    place:
      'Первыми строками в файл .htaccess в корневой папке сайта; надёжнее — в Rewrite Rules виртуального хоста в панели LiteSpeed',
    text: [
      headline(lock),
      'RewriteEngine On',
      `RewriteCond %{REQUEST_URI} ^${ACME_PATH}$`,
      'RewriteCond %{QUERY_STRING} ^$',
      'RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} -f',
      'RewriteRule ^ - [L]',
      `RewriteCond %{REMOTE_ADDR} !^(${visitors.join('|')})$`,
      'RewriteRule ^ - [F,L]',
      '',
    ].join('\n'),
    notes: [
      'OpenLiteSpeed исполняет из .htaccess только правила rewrite, строки Require он пропускает. Поэтому замок написан правилами rewrite.',
      'Включите в панели Rewrite → Enable Rewrite и Auto Load from .htaccess, после правки сделайте Graceful Restart: без него OpenLiteSpeed помнит старый файл.',
      'Файл .htaccess со своим RewriteEngine во вложенной папке отменяет эти правила для неё. Если такие есть, вставьте строки в Rewrite Rules виртуального хоста.',
      'Настройка Use Client IP in Header должна быть No или Trusted IP Only: иначе адрес посетителя подделывают заголовком.',
      'Если включён кеш LSCache, очистите его после вставки: страницы из кеша могут отдаваться раньше замка.',
      'Мы проверили эти правила на mod_rewrite в Apache, а не на самом LiteSpeed: тем важнее проверка после вставки.',
      ...everyLock,
    ],
  };
}
