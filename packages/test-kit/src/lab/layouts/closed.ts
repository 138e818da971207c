import { apache, nginx, panel, pass, REMOTEIP } from '../configurations.ts';
import { backend, caddy, caddyLocked, HAPROXY_ADDRESS, haproxy, lighttpd, squid } from '../front-servers.ts';
import { type Layout, page } from '../layout.ts';
import { bitrix, office, phpMyAdmin, publication, share, singlePage, wordpress } from '../trees.ts';

/** Layouts whose lock covers the whole site. Their verdict must be `protected`. */

const closed = (
  name: string,
  software: string,
  tree: Layout['tree'],
  servers: Layout['servers'],
  parts: Partial<Layout> = {},
): Layout => ({ name, cause: 'none', software, tree, ...parts, servers });

export const closedApaches: Layout[] = [
  closed('closed-apache-htaccess', 'Apache', wordpress, (place) => [
    apache(place, { htaccess: place.lock('htaccess'), allowOverride: 'AuthConfig' }),
  ]),
  closed(
    'closed-apache-1c',
    'Apache',
    publication,
    (place) => [apache(place, { host: `Alias /base/ ${place.folder}/published/\n${place.lock('apache')}` })],
    { pastedPath: '/base/', mounts: { '/base/': 'published' } },
  ),
  closed(
    'closed-apache-proxy',
    'Apache → application',
    {
      ...phpMyAdmin,
      ...singlePage,
      '/': page('Сервер', '/phpmyadmin/', '/assets/index-4f2a1c.js', '/api/catalog.json'),
    },
    (place) => [
      apache(place, {
        host: `ProxyPass /api/ http://127.0.0.1:${place.application}/api/\n${place.lock('apache')}`,
      }),
    ],
  ),
  closed(
    'closed-apache-path-only',
    'Apache',
    // The first page does not exist: the site opens at its start path.
    Object.fromEntries(Object.entries(publication).filter(([path]) => path.startsWith('/base/'))),
    (place) => [apache(place, { htaccess: place.lock('htaccess') })],
    { pastedPath: '/base/' },
  ),
  closed('closed-apache-listing', 'Apache', share, (place) => [
    apache(place, {
      htaccess: place.lock('htaccess'),
      host: `<Directory ${place.folder}/site/files>\nOptions +Indexes\n</Directory>`,
    }),
  ]),
  closed('closed-litespeed-rules', 'Apache with the rules for LiteSpeed', bitrix, (place) => [
    apache(place, { htaccess: place.lock('litespeed') }),
  ]),
  closed(
    'closed-apache-windows-1251',
    'Apache',
    {
      '/': Buffer.from(
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=windows-1251">' +
          '<base href="/shop/"><title>\xcc\xe0\xe3\xe0\xe7\xe8\xed</title></head>' +
          '<body><a href="list.html">\xd1\xef\xe8\xf1\xee\xea</a><img src="img/a.png"></body></html>\n',
        'latin1',
      ),
      '/shop/list.html': page('Список', '/'),
      '/shop/img/a.png': 'PNG\n',
    },
    (place) => [apache(place, { htaccess: place.lock('htaccess') })],
  ),
];

export const closedNginx: Layout[] = [
  closed('closed-nginx-bitrix', 'nginx', bitrix, (place) => [
    nginx(place, {
      lock: place.lock('nginx'),
      server: `location / { try_files $uri $uri/index.html @application; }
    location ~* \\.(css|js|png|jpg)$ { expires max; }
    location ^~ /upload/ { }
    location @application { proxy_pass http://127.0.0.1:${place.application}; }`,
    }),
  ]),
  closed('closed-nginx-spa', 'nginx', singlePage, (place) => [
    nginx(place, {
      lock: place.lock('nginx'),
      server: `location / { try_files $uri /index.html; }
    location /api/ { proxy_pass http://127.0.0.1:${place.application}; }`,
    }),
  ]),
  closed('closed-panel-front-lock', 'nginx → Apache', wordpress, (place) => [
    nginx(place, {
      lock: place.lock('nginx'),
      server: `location / { ${pass(place.behind)} }
    location ~* \\.(css|js|jpg|png|pdf)$ { try_files $uri @back; }
    location @back { ${pass(place.behind)} }`,
    }),
    apache(place, { port: place.behind }),
  ]),
  closed('closed-panel-all-passed', 'nginx → Apache', bitrix, (place) =>
    panel(place, { server: `location / { ${pass(place.behind)} }` }),
  ),
  closed('closed-nginx-cache', 'nginx with a cache → Apache', office, (place) => [
    nginx(place, {
      http: 'proxy_cache_path {folder}/cache keys_zone=site:1m;',
      lock: place.lock('nginx'),
      server: `location / { ${pass(place.behind)} proxy_cache site; proxy_cache_valid 200 10m; }`,
    }),
    apache(place, { port: place.behind }),
  ]),
  closed('closed-nginx-lighttpd', 'nginx → lighttpd', share, (place) => [
    nginx(place, { lock: place.lock('nginx'), server: `location / { ${pass(place.behind)} }` }),
    lighttpd(place, 'dir-listing.activate = "enable"', place.behind),
  ]),
  closed(
    'closed-nginx-login',
    'nginx → application',
    { ...office, '/login/': page('Вход', '/static/app.css') },
    (place) => [
      nginx(place, {
        lock: place.lock('nginx'),
        server: `location / { proxy_pass http://127.0.0.1:${place.application}; proxy_set_header Host $http_host; }`,
      }),
    ],
    { application: { answers: { '/': { status: 302, headers: { location: '/login/' } } } } },
  ),
  closed(
    'closed-nginx-sign-in-service',
    'nginx → application',
    office,
    (place) => [
      nginx(place, {
        lock: place.lock('nginx'),
        server: `location / { proxy_pass http://127.0.0.1:${place.application}; }`,
      }),
    ],
    {
      application: {
        answers: {
          '/': {
            status: 302,
            headers: { location: 'http://sso.example.test/auth?client_id=crm&response_type=code' },
          },
        },
      },
    },
  ),
];

export const closedOthers: Layout[] = [
  closed('closed-caddy-application', 'Caddy → application', office, (place) => [
    caddyLocked(place, `reverse_proxy 127.0.0.1:${place.application}`),
  ]),
  closed('closed-caddy-share', 'Caddy', share, (place) => [
    caddyLocked(place, `root * ${place.folder}/site\nhandle /files/* {\nfile_server browse\n}\nfile_server`),
  ]),
  closed('closed-caddy-later-directives', 'Caddy', wordpress, (place) => [
    // In the order of Caddy, these directives run after the route.
    caddyLocked(
      place,
      `root * ${place.folder}/site`,
      `root * ${place.folder}/site\nencode gzip\nfile_server`,
    ),
  ]),
  closed('closed-caddy-front', 'Caddy → Apache', bitrix, (place) => [
    caddy(place, `reverse_proxy 127.0.0.1:${place.behind}`),
    apache(place, {
      htaccess: place.lock('htaccess'),
      host: 'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 127.0.0.1',
      port: place.behind,
    }),
  ]),
  closed('closed-haproxy', 'HAProxy → Apache', singlePage, (place) => [
    haproxy(place, {
      frontend: `${HAPROXY_ADDRESS}\n  default_backend apache`,
      backends: backend('apache', place.behind, place.alsoBehind),
    }),
    apache(place, { htaccess: place.lock('htaccess'), host: REMOTEIP, port: place.behind }),
    apache(place, {
      host: `${REMOTEIP}\n${place.lock('apache')}`,
      port: place.alsoBehind,
      allowOverride: 'None',
    }),
  ]),
  closed('closed-squid', 'squid → Apache', office, (place) => [
    squid(place, place.behind),
    apache(place, {
      htaccess: place.lock('htaccess'),
      host: REMOTEIP.replace('X-Real-IP', 'X-Forwarded-For'),
      port: place.behind,
    }),
  ]),
  closed('closed-apache-password', 'Apache', office, (place) => [
    apache(place, {
      htaccess: `${place.lock('htaccess')}AuthType Basic
AuthName "office"
AuthUserFile ${place.folder}/passwords
Require valid-user
`,
      files: { passwords: 'anna:{SHA}qUqP5cyxm6YcTAhz05Hph5gvu9M=\n' },
    }),
  ]),
];
