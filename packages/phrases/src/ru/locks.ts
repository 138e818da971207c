import type { LockKind } from '@propusk/contract/lock';
import { lock } from './console/lock.ts';

/** Texts of one kind of lock: its title, where in the server's configuration its lines belong, and notes. */
export interface LockPhrases {
  readonly title: string;
  readonly place: string;
  readonly notes: readonly string[];
}

/** Comments inside the lines of a lock. */
export const lockComments = {
  headline: (address: string) => `# Пропуск: ${address} открывается только через прокси компании`,
  satisfyAny: '# Старое «Satisfy Any» не открывает сайт посторонним',
  internalRedirects: '# Страницы ошибок и внутренние перенаправления спрашивают право заново',
  nginxHttpPart: '# 1. Вне server { }: отдельным файлом в /etc/nginx/conf.d/ или в блок http { }',
  nginxServerPart: '# 2. Первыми строками в каждый server { } этого сайта',
  nginxOwnLocation: '# Если такой location у вас уже есть, оставьте свой, а этот не вставляйте',
  caddyRest: '# Дальше, здесь же, всё, что было в блоке сайта',
};

const ownRequests =
  'Замок закрывает сайт и для программ: вебхуков, уведомлений о платежах, мониторинга, запросов сайта к самому себе (wp-cron).';
const renewal =
  'Файлы для продления сертификата остаются открытыми. Убедитесь, что продление работает: certbot renew --dry-run.';
const proveIt = 'Вставив строки, нажмите «Проверить»: только проверка показывает, что замок работает.';

const everyLock = [ownRequests, renewal, proveIt];
/** The notes without `renewal`, because Caddy's lock has no exception for certificate files. */
const everyLockButFiles = [ownRequests, proveIt];

const cdnNotes = [
  'Этот вариант нужен, только если домен включён в Cloudflare (оранжевое облако). Замок верит заголовку CF-Connecting-IP лишь от адресов Cloudflare: подделать его, обращаясь к серверу прямо, нельзя.',
  'Отключите для этого сайта кеш Cloudflare (Cache Rules → Bypass cache): из кеша страницы раздаются всем, до сервера запрос не доходит.',
  'Список адресов Cloudflare меняется редко; сверяйте его раз в год с cloudflare.com/ips.',
];

const htaccessPlace = 'Первыми строками в файл .htaccess в корневой папке сайта';
const htaccessNotes = [
  'Работает, если в настройках Apache для этой папки стоит AllowOverride AuthConfig или AllowOverride All. При AllowOverride None Apache молча не читает файл, и сайт остаётся открыт.',
  `Ошибка 500 после вставки значит, что AllowOverride не включает AuthConfig. Включите его или выберите «${lock.servers.apache}».`,
  'Вложенные .htaccess с «Require all granted» или со старыми «Allow from» и «Satisfy Any» этот замок не открывают. Открыть его может только секция <If> с Require: если она есть в файлах сайта, удалите её.',
  `Пути из Alias и ProxyPass .htaccess не закрывает, и кеш mod_cache отвечает раньше него. Если что-то из этого есть, выберите «${lock.servers.apache}».`,
];
const apachePlace =
  'Последними строками в каждый <VirtualHost> этого сайта (и порта 80, и порта 443), обычно в /etc/apache2/sites-available/';
const apacheNotes = [
  'Перед перезагрузкой проверьте настройки: apachectl configtest. Затем: systemctl reload apache2.',
  'Секции <Directory>, <Location> и файлы .htaccess этот замок не открывают. Открыть его может только секция <If> с Require: если она есть, удалите её.',
  'Если сайт отвечает и в других <VirtualHost> (другое имя, обращение по IP-адресу), вставьте строки и туда.',
];
const apacheAddition =
  'Пароль и запреты, которые у сайта уже есть, продолжают действовать вместе с замком. Меняя адреса, замените прежний замок: два разных вместе не пустят никого.';
const apacheRemoteIp =
  'Если включён mod_remoteip, список доверенных прокси (RemoteIPTrustedProxy) обязателен: без него адрес посетителя подделывают заголовком.';
const inHtaccess = [...htaccessNotes, apacheAddition, ...everyLock];
const inApache = [...apacheNotes, apacheAddition, apacheRemoteIp, ...everyLock];

const nginxPlace =
  'Часть 1 — отдельным файлом в /etc/nginx/conf.d/, часть 2 — первыми строками в каждый server { } сайта (и порта 80, и порта 443)';
const nginxNotes = [
  'Часть 2 стоит прямо в server { }, раньше других rewrite, return и if. Там она закрывает и location с return, и location со своим allow.',
  'Перед перезагрузкой проверьте настройки: nginx -t. Затем: systemctl reload nginx.',
  'Если сайт отвечает и в других server { } (default_server, другое имя), вставьте часть 2 и туда.',
  'Если nginx -t говорит «duplicate location», у вас уже есть место для файлов сертификата: удалите вставленный location, а if оставьте.',
  'Если certbot кладёт файлы не в корневую папку сайта, впишите в этот location строку root с их папкой.',
  'Нужен nginx 1.11.7 (2016 год) или новее.',
  'Если стоит real_ip_header, то set_real_ip_from должен называть только ваши прокси: иначе адрес посетителя подделывают заголовком.',
  ...everyLock,
];

const caddyPlace = 'В Caddyfile: блок сайта целиком, а в route { } — всё, что было в нём прежде';
const caddyNotes = [
  'Перенесите внутрь route { } весь блок сайта, кроме tls, log и bind. Снаружи Caddy выполняет строки в своём порядке, и handle или redir сработают раньше замка.',
  'В первой строке оставьте все имена, какие были. Если имя сайта названо и в других блоках, закройте и их.',
  'Перед перезагрузкой проверьте настройки: caddy validate --config /etc/caddy/Caddyfile. Затем: systemctl reload caddy.',
  'Сертификат Caddy продлевает сам, раньше этих строк, поэтому исключения для него нет. Если сертификат получает другая программа (certbot с webroot), пусть она подтверждает домен через DNS.',
  ...everyLockButFiles,
];

/** The texts of each kind of lock. */
export const lockPhrases: Readonly<Record<LockKind, LockPhrases>> = {
  htaccess: { title: 'Apache: файл .htaccess', place: htaccessPlace, notes: inHtaccess },
  apache: { title: 'Apache: виртуальный хост', place: apachePlace, notes: inApache },
  nginx: { title: 'nginx', place: nginxPlace, notes: nginxNotes },
  caddy: { title: 'Caddy', place: caddyPlace, notes: caddyNotes },
  litespeed: {
    title: 'LiteSpeed и OpenLiteSpeed',
    place:
      'Первыми строками в файл .htaccess в корневой папке сайта; надёжнее — в Rewrite Rules виртуального хоста в панели LiteSpeed',
    notes: [
      'OpenLiteSpeed исполняет из .htaccess только правила rewrite, строки Require он пропускает. Поэтому замок написан правилами rewrite.',
      'Включите в панели Rewrite → Enable Rewrite и Auto Load from .htaccess, после правки сделайте Graceful Restart: без него OpenLiteSpeed помнит старый файл.',
      'Файл .htaccess со своим RewriteEngine во вложенной папке отменяет эти правила для неё. Если такие есть, вставьте строки в Rewrite Rules виртуального хоста.',
      'Настройка Use Client IP in Header должна быть No или Trusted IP Only: иначе адрес посетителя подделывают заголовком.',
      'Если включён кеш LSCache, очистите его после вставки: страницы из кеша могут отдаваться раньше замка.',
      'Мы проверили эти правила на mod_rewrite в Apache, а не на самом LiteSpeed: тем важнее проверка после вставки.',
      ...everyLock,
    ],
  },
  'htaccess-cdn': {
    title: 'Apache за Cloudflare: файл .htaccess',
    place: htaccessPlace,
    notes: [...cdnNotes, ...inHtaccess],
  },
  'apache-cdn': {
    title: 'Apache за Cloudflare: виртуальный хост',
    place: apachePlace,
    notes: [...cdnNotes, ...inApache],
  },
  'nginx-cdn': { title: 'nginx за Cloudflare', place: nginxPlace, notes: [...cdnNotes, ...nginxNotes] },
  'caddy-cdn': { title: 'Caddy за Cloudflare', place: caddyPlace, notes: [...cdnNotes, ...caddyNotes] },
};
