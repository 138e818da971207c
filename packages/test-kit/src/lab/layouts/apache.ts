import { apache } from '../configurations.ts';
import { type Layout, page } from '../layout.ts';
import { bitrix, office, phpMyAdmin, publication, share, singlePage, wordpress } from '../trees.ts';

/** Layouts of Apache alone with an opening. */

/** Passes a path to the application from the server's configuration. */
const passTo = (path: string, port: number) => `ProxyPass ${path} http://127.0.0.1:${port}${path}\n`;

export const apacheAliases: Layout[] = [
  {
    name: 'apache-1c-alias',
    cause: 'alias',
    wanted: 'open',
    software: 'Apache',
    pastedPath: '/base/',
    tree: publication,
    mounts: { '/base/': 'published' },
    servers: (place) => [
      apache(place, { htaccess: place.lock('htaccess'), host: `Alias /base/ ${place.folder}/published/` }),
    ],
  },
  {
    name: 'apache-phpmyadmin-alias',
    cause: 'alias',
    software: 'Apache',
    tree: {
      ...wordpress,
      ...phpMyAdmin,
      '/': page('Сервер', '/about/', '/phpmyadmin/', '/logo.png'),
      '/logo.png': 'PNG',
    },
    mounts: { '/phpmyadmin/': 'share/phpmyadmin' },
    servers: (place) => [
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: `Alias /phpmyadmin ${place.folder}/share/phpmyadmin`,
      }),
    ],
  },
  {
    name: 'apache-reports-alias',
    cause: 'alias',
    software: 'Apache',
    tree: office,
    mounts: { '/reports/files/': 'disk/reports' },
    servers: (place) => [
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: `Alias /reports/files ${place.folder}/disk/reports`,
      }),
    ],
  },
  {
    name: 'apache-home-folder',
    cause: 'alias',
    software: 'Apache',
    tree: {
      '/': page('Кафедра', '/style.css', '/~ivanov/lectures/first.pdf', '/~ivanov/'),
      '/style.css': 'body{}\n',
      '/~ivanov/': page('Иванов', '/~ivanov/lectures/first.pdf'),
      '/~ivanov/lectures/first.pdf': '%PDF\n',
      '/~ivanov/lectures/marks.xlsx': 'PK\n',
    },
    mounts: { '/~ivanov/': 'home/ivanov' },
    servers: (place) => [
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: `AliasMatch "^/~ivanov/(.*)" "${place.folder}/home/ivanov/$1"`,
      }),
    ],
  },
  {
    name: 'apache-listing-alias',
    cause: 'alias',
    software: 'Apache',
    tree: {
      '/': page('Склад', '/style.css', '/archive/'),
      '/style.css': 'body{}\n',
      '/archive/2025/balance.xlsx': 'PK\n',
      '/archive/2025/letter.pdf': '%PDF\n',
      '/archive/plan.pdf': '%PDF\n',
    },
    mounts: { '/archive/': 'disk/archive' },
    servers: (place) => [
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: `Alias /archive ${place.folder}/disk/archive
<Directory ${place.folder}/disk/archive>
  Options +Indexes
</Directory>`,
      }),
    ],
  },
];

export const apacheProxied: Layout[] = [
  {
    name: 'apache-api-proxy',
    cause: 'proxied path',
    software: 'Apache → application',
    tree: singlePage,
    servers: (place) => [
      apache(place, { htaccess: place.lock('htaccess'), host: passTo('/api/', place.application) }),
    ],
  },
  {
    name: 'apache-php-proxy',
    cause: 'proxied path',
    software: 'Apache → application',
    tree: {
      ...bitrix,
      '/': page(
        'Портал',
        '/bitrix/templates/main/styles.css',
        '/upload/docs/tariff.pdf',
        '/search.php',
        '/auth/login.php',
      ),
      '/search.php': page('Поиск', '/'),
      '/auth/login.php': page('Вход', '/'),
    },
    servers: (place) => [
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: `ProxyPassMatch "^/(.*\\.php)$" "http://127.0.0.1:${place.application}/$1"`,
      }),
    ],
  },
  {
    name: 'apache-wiki-proxy',
    cause: 'proxied path',
    software: 'Apache → application',
    tree: {
      ...office,
      '/': page('Отдел', '/static/app.css', '/deals/', '/wiki/', '/wiki/skin/wiki.css'),
      '/wiki/': page('Вики', '/wiki/skin/wiki.css', '/wiki/files/scheme.png'),
      '/wiki/skin/wiki.css': 'body{}\n',
      '/wiki/files/scheme.png': 'PNG\n',
      '/wiki/files/passwords.txt': 'secret\n',
    },
    servers: (place) => [
      apache(place, { htaccess: place.lock('htaccess'), host: passTo('/wiki/', place.application) }),
    ],
  },
  {
    name: 'apache-rewrite-proxy',
    cause: 'proxied path',
    software: 'Apache → application',
    tree: office,
    servers: (place) => [
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: `RewriteEngine On
RewriteRule "^/(static|media)/" "http://127.0.0.1:${place.application}%{REQUEST_URI}" [P,L]`,
      }),
    ],
  },
];

const GRANT = '<If "true">\nRequire all granted\n</If>\n';

const granted = (name: string, tree: Layout['tree'], folder: string, text = GRANT): Layout => ({
  name,
  cause: 'granted by If',
  software: 'Apache',
  tree,
  servers: (place) => [
    apache(place, { htaccess: place.lock('htaccess'), files: { [`site/${folder}/.htaccess`]: text } }),
  ],
});

export const apacheGranted: Layout[] = [
  granted('apache-upload-granted', bitrix, 'upload'),
  granted('apache-theme-granted', wordpress, 'wp-content'),
  granted(
    'apache-pdf-granted',
    share,
    'files',
    '<If "%{REQUEST_URI} =~ /\\.(pdf|zip)$/">\nRequire all granted\n</If>\n',
  ),
];

/** The lock is in a file that Apache does not read, or in one folder only. */
const elsewhere = (
  name: string,
  cause: 'htaccess ignored' | 'lock in a subfolder',
  tree: Layout['tree'],
  file: string,
  parts: { allowOverride?: string; main?: string; pastedPath?: string } = {},
): Layout => ({
  name,
  cause,
  software: 'Apache',
  tree,
  ...(parts.pastedPath !== undefined && { pastedPath: parts.pastedPath }),
  servers: (place) => [apache(place, { ...parts, files: { [file]: place.lock('htaccess') } })],
});

export const apacheMisplaced: Layout[] = [
  elsewhere('apache-override-none', 'htaccess ignored', wordpress, 'site/.htaccess', {
    allowOverride: 'None',
  }),
  elsewhere('apache-other-file-name', 'htaccess ignored', bitrix, 'site/.htaccess', {
    main: 'AccessFileName .config',
  }),
  elsewhere('apache-other-root', 'htaccess ignored', office, 'old-site/.htaccess'),
  elsewhere('apache-admin-only', 'lock in a subfolder', wordpress, 'site/wp-admin/.htaccess', {
    pastedPath: '/wp-admin/',
  }),
  elsewhere('apache-deals-only', 'lock in a subfolder', office, 'site/deals/.htaccess', {
    pastedPath: '/deals/',
  }),
  elsewhere('apache-bitrix-only', 'lock in a subfolder', bitrix, 'site/bitrix/.htaccess'),
];
