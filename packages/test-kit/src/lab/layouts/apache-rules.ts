import { apache } from '../configurations.ts';
import type { Layout } from '../layout.ts';
import { bitrix, office, share, wordpress } from '../trees.ts';

/** Layouts of Apache whose rewrite rules, cache, addresses or headers open a part of the site. */

const nested = (name: string, tree: Layout['tree'], folder: string, rules: string): Layout => ({
  name,
  cause: 'nested rewrite rules',
  software: 'Apache with the rules for LiteSpeed',
  tree,
  servers: (place) => [
    apache(place, { htaccess: place.lock('litespeed'), files: { [`site/${folder}/.htaccess`]: rules } }),
  ],
});

export const nestedRules: Layout[] = [
  nested(
    'litespeed-uploads',
    wordpress,
    'wp-content/uploads',
    'RewriteEngine On\nRewriteRule "\\.php$" - [F]\n',
  ),
  nested('litespeed-upload', bitrix, 'upload', 'RewriteEngine Off\n'),
  nested(
    'litespeed-files',
    share,
    'files',
    'RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule "^old/(.*)$" "/files/$1" [R=301,L]\n',
  ),
  nested(
    'litespeed-static',
    office,
    'static',
    'RewriteEngine On\nRewriteRule "^(.+)\\.[0-9]+\\.css$" "$1.css" [L]\n',
  ),
];

export const apacheCache: Layout = {
  name: 'apache-disk-cache',
  cause: 'cache',
  software: 'Apache with mod_cache',
  tree: wordpress,
  servers: (place) => [
    apache(place, {
      htaccess: place.lock('htaccess'),
      host: 'CacheEnable disk /\nCacheMinExpire 3600\nCacheIgnoreCacheControl On',
    }),
  ],
};

export const apacheForged: Layout = {
  name: 'apache-trusts-header',
  cause: 'forged address',
  software: 'Apache',
  tree: bitrix,
  servers: (place) => [
    apache(place, {
      htaccess: place.lock('htaccess'),
      host: 'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 127.0.0.0/8',
    }),
  ],
};

export const apacheSecondAddress: Layout = {
  name: 'apache-second-address',
  cause: 'other address',
  software: 'Apache on two addresses',
  otherAddresses: ['second'],
  tree: office,
  servers: (place) => [
    apache(place, {
      listen: [`${place.secondAddress}:${place.port}`],
      host: place.lock('apache'),
      main: `<VirtualHost ${place.secondAddress}:${place.port}>
  ServerName ${place.host}
  DocumentRoot ${place.folder}/site
  DirectoryIndex index.html
  <Directory ${place.folder}/site>
    Require all granted
  </Directory>
</VirtualHost>`,
    }),
  ],
};

export const apacheHidden: Layout[] = [
  {
    name: 'apache-unlinked-proxy',
    cause: 'proxied path',
    software: 'Apache → application',
    tree: { ...wordpress, '/internal-api/people.json': '[]\n', '/internal-api/export.csv': 'name\n' },
    servers: (place) => [
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: `ProxyPass /internal-api/ http://127.0.0.1:${place.application}/internal-api/`,
      }),
    ],
  },
  {
    // A probe never requests a path with the word backup.
    name: 'apache-granted-backup',
    cause: 'granted by If',
    software: 'Apache',
    tree: {
      ...office,
      '/deals/': `${String(office['/deals/'])}<a href="/backup/site.zip">Копия</a>\n`,
      '/backup/site.zip': 'PK\n',
    },
    servers: (place) => [
      apache(place, {
        htaccess: place.lock('htaccess'),
        files: { 'site/backup/.htaccess': '<If "true">\nRequire all granted\n</If>\n' },
      }),
    ],
  },
];

export const apacheRefusing: Layout[] = [
  {
    // An editor saved the file with a byte order mark, so Apache answers 500 to everyone.
    name: 'apache-byte-order-mark',
    cause: 'users refused',
    software: 'Apache',
    tree: wordpress,
    servers: (place) => [apache(place, { htaccess: `\uFEFF${place.lock('htaccess')}` })],
  },
  {
    name: 'apache-redirect-away',
    cause: 'redirect away',
    software: 'Apache',
    tree: office,
    servers: (place) => [
      apache(place, {
        htaccess: `${place.lock('htaccess')}RedirectMatch 302 "^/(.*)" "http://portal.${place.host}:${place.port}/$1"\n`,
      }),
    ],
  },
];
