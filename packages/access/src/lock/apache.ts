import type { Snippet } from '@propusk/contract/lock';
import { ACME_TOKEN, cdnNotes, everyLock, headline, type Lock } from './lock.ts';

/**
 * The exception asks more than the path: what Apache is about to answer with must be a file of that very name. So neither
 * a CMS that takes every path, nor an application behind ProxyPass, nor a page of errors answers under it.
 */
const acme = `Require expr "%{REQUEST_URI} =~ m#^${ACME_TOKEN}$# && -f %{REQUEST_FILENAME} && %{REQUEST_FILENAME} -strmatch '*/$1'"`;

/** Whom the lock lets in. The header is compared as text: Cloudflare sends the spelling that we keep. */
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

/** The same as one expression. */
function isVisitor({ egress, cdn }: Lock, behindCdn: boolean): string {
  const from = (list: readonly string[]) => list.map((each) => `-R '${each}'`).join(' || ');
  return behindCdn ? `${from(egress)} || ((${from(cdn)}) && ${named(egress)})` : from(egress);
}

function named(egress: readonly string[]): string {
  return `%{HTTP:CF-Connecting-IP} in { ${egress.map((address) => `'${address}'`).join(', ')} }`;
}

/**
 * The same lines for the site's own file and for the server's settings; all of them need AuthConfig and no more.
 *
 * `<If>` is merged last of all sections, so a Require in a nested .htaccess or a Location changes nothing, and in the
 * server's settings it covers Alias and ProxyPass. `AuthMerging And` adds the lock to what the owner asks for already:
 * without it the lock would stand in the place of a password, and open folders that are denied to all.
 *
 * The second `<If>` overrules an old `Satisfy Any`, which lets past every Require. It forgets the old `Deny from` as well,
 * so those who are let in are spared it.
 *
 * The third is against Apache's economy: an internal redirect whose settings are the same is not asked for its right
 * again, so `ErrorDocument 403 /index.php` would show the refused page to the refused. It makes the settings differ.
 */
function text(lock: Lock, behindCdn: boolean): string {
  const admitted = visitors(lock, behindCdn);
  return [
    headline(lock),
    '<If "true">',
    '    AuthMerging And',
    ...indent(any([...admitted, acme])),
    '</If>',
    '# Старое «Satisfy Any» не открывает сайт посторонним',
    '<IfModule mod_access_compat.c>',
    `    <If "!(${isVisitor(lock, behindCdn)})">`,
    '        Satisfy All',
    '    </If>',
    '</IfModule>',
    '# Страницы ошибок и внутренние перенаправления спрашивают право заново',
    '<If "-n %{ENV:REDIRECT_STATUS}">',
    '    AuthMerging And',
    ...indent(any(admitted)),
    '</If>',
    '',
  ].join('\n');
}

/** A cache answers before anybody is asked for a right, unless it is told not to; that word only the settings may say. */
function inSettings(lines: string): string {
  return `${lines}<IfModule mod_cache.c>\n    CacheQuickHandler off\n</IfModule>\n`;
}

function any(lines: readonly string[]): string[] {
  return ['<RequireAny>', ...indent(lines), '</RequireAny>'];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `    ${line}`);
}

const filePlace = 'Первыми строками в файл .htaccess в корневой папке сайта';
const fileNotes = [
  'Работает, если в настройках Apache для этой папки стоит AllowOverride AuthConfig или AllowOverride All. При AllowOverride None Apache молча не читает файл, и сайт остаётся открыт.',
  'Ошибка 500 после вставки значит, что AllowOverride не включает AuthConfig. Включите его или возьмите вариант для виртуального хоста.',
  'Вложенные .htaccess с «Require all granted» или со старыми «Allow from» и «Satisfy Any» этот замок не открывают. Открыть его может только секция <If> с Require: если она есть в файлах сайта, удалите её.',
  'Пути из Alias и ProxyPass .htaccess не закрывает, и кеш mod_cache отвечает раньше него. Если что-то из этого есть, возьмите вариант для виртуального хоста.',
];
const hostPlace =
  'Последними строками в каждый <VirtualHost> этого сайта (и порта 80, и порта 443), обычно в /etc/apache2/sites-available/';
const hostNotes = [
  'Перед перезагрузкой проверьте настройки: apachectl configtest. Затем: systemctl reload apache2.',
  'Секции <Directory>, <Location> и файлы .htaccess этот замок не открывают. Открыть его может только секция <If> с Require: если она есть, удалите её.',
  'Если сайт отвечает и в других <VirtualHost> (другое имя, обращение по IP-адресу), вставьте строки и туда.',
];
const addition =
  'Пароль и запреты, которые у сайта уже есть, продолжают действовать вместе с замком. Меняя адреса, замените прежний замок: два разных вместе не пустят никого.';
const remoteIp =
  'Если включён mod_remoteip, список доверенных прокси (RemoteIPTrustedProxy) обязателен: без него адрес посетителя подделывают заголовком.';

/** The lines for Apache 2.4: for the site's own file and for the server's settings, with a CDN and without. */
export function apacheSnippets(lock: Lock): Snippet[] {
  const [plain, cdn] = [text(lock, false), text(lock, true)];
  const inFile = [...fileNotes, addition, ...everyLock];
  const inHost = [...hostNotes, addition, remoteIp, ...everyLock];
  return [
    { kind: 'htaccess', title: 'Apache: файл .htaccess', place: filePlace, text: plain, notes: inFile },
    {
      kind: 'apache',
      title: 'Apache: виртуальный хост',
      place: hostPlace,
      text: inSettings(plain),
      notes: inHost,
    },
    {
      kind: 'htaccess-cdn',
      title: 'Apache за Cloudflare: файл .htaccess',
      place: filePlace,
      text: cdn,
      notes: [...cdnNotes, ...inFile],
    },
    {
      kind: 'apache-cdn',
      title: 'Apache за Cloudflare: виртуальный хост',
      place: hostPlace,
      text: inSettings(cdn),
      notes: [...cdnNotes, ...inHost],
    },
  ];
}
