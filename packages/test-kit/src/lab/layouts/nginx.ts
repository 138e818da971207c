import { nginx, nginxListen, pass } from '../configurations.ts';
import { type Layout, type Place, page } from '../layout.ts';
import { bitrix, office, phpMyAdmin, share, singlePage, wordpress } from '../trees.ts';

/** Layouts of nginx alone with an opening. */

/** Moves the condition of the lock into one location, where some owners paste it. */
export function inLocation(lock: string, location: string): string {
  const condition = /^if \(.*\}$/m.exec(lock)?.[0];
  if (condition === undefined) throw new Error('the lock for nginx has no condition');
  return lock.replace(
    condition,
    `location ${location} { ${condition} try_files $uri $uri/index.html =404; }`,
  );
}

const located = (name: string, tree: Layout['tree'], other: (place: Place) => string): Layout => ({
  name,
  cause: 'lock in one location',
  software: 'nginx',
  tree,
  servers: (place) => [nginx(place, { lock: inLocation(place.lock('nginx'), '/'), server: other(place) })],
});

export const locations: Layout[] = [
  located('nginx-assets-location', singlePage, () => 'location /assets/ { expires max; }'),
  located('nginx-upload-location', bitrix, () => 'location ^~ /upload/ { }'),
  located(
    'nginx-documents-location',
    share,
    () => 'location ~* \\.(pdf|zip|mp4)$ { add_header Content-Disposition attachment; }',
  ),
  located(
    'nginx-admin-location',
    {
      ...office,
      ...phpMyAdmin,
      '/': page('Сервер', '/static/app.css', '/phpmyadmin/', '/deals/'),
    },
    (place) => `location /phpmyadmin/ { proxy_pass http://127.0.0.1:${place.application}; }`,
  ),
];

const rewritten = (name: string, tree: Layout['tree'], before: string): Layout => ({
  name,
  cause: 'rewrite before the lock',
  software: 'nginx',
  tree,
  servers: (place) => [nginx(place, { before, lock: place.lock('nginx'), server: '' })],
});

export const rewrites: Layout[] = [
  rewritten('nginx-break-pictures', bitrix, 'if ($uri ~* "\\.(png|jpg|css)$") { break; }'),
  rewritten('nginx-break-files', wordpress, 'if (-f $request_filename) { break; }'),
  rewritten('nginx-break-media', office, 'rewrite ^/media/(.*)$ /media/$1 break;'),
];

export const nginxForged: Layout = {
  name: 'nginx-trusts-header',
  cause: 'forged address',
  software: 'nginx',
  tree: share,
  servers: (place) => [
    nginx(place, {
      before: 'set_real_ip_from 0.0.0.0/0; real_ip_header X-Forwarded-For;',
      lock: place.lock('nginx'),
      server: '',
    }),
  ],
};

const twice = (name: string, other: 'second' | 'ipv6', tree: Layout['tree']): Layout => ({
  name,
  cause: 'other address',
  software: 'nginx on two addresses',
  otherAddresses: [other],
  tree,
  servers: (place) => [
    nginx(place, {
      http: `server {
    listen ${other === 'ipv6' ? '[::1]' : place.secondAddress}:${place.port};
    root ${place.folder}/site;
    index index.html;
  }`,
      lock: place.lock('nginx'),
      server: '',
    }),
  ],
});

export const addresses: Layout[] = [
  twice('nginx-ipv6-server', 'ipv6', wordpress),
  twice('nginx-old-server', 'second', bitrix),
];

export const nginxRefusing: Layout[] = [
  {
    name: 'nginx-www-redirect',
    cause: 'redirect away',
    software: 'nginx',
    www: true,
    tree: wordpress,
    servers: (place) => [
      nginx(place, {
        lock: place.lock('nginx'),
        server: `location / {
      if ($host = www.${place.host}) { return 301 http://${place.host}:${place.port}$request_uri; }
    }`,
      }),
    ],
  },
  {
    // nginx redirects www in a server of its own, without the lock.
    name: 'nginx-www-server',
    cause: 'redirect away',
    software: 'nginx',
    www: true,
    tree: bitrix,
    servers: (place) => [
      nginx(place, {
        http: `server {
    ${nginxListen(place)}
    server_name www.${place.host};
    return 301 http://${place.host}:${place.port}$request_uri;
  }`,
        lock: place.lock('nginx'),
        server: '',
        name: place.host,
      }),
    ],
  },
  {
    // Simulates a required client certificate: nginx answers 400 without it.
    name: 'nginx-client-certificate',
    cause: 'users refused',
    software: 'nginx',
    tree: office,
    servers: (place) => [
      nginx(place, {
        lock: place.lock('nginx'),
        server: 'location / { if ($http_x_client_certificate = "") { return 400; } }',
      }),
    ],
  },
  {
    name: 'nginx-challenge-page',
    cause: 'challenge page',
    wanted: 'open',
    software: 'nginx',
    tree: wordpress,
    servers: (place) => [
      nginx(place, {
        before: `error_page 418 = @challenge;
    if ($cookie_checked = "") { return 418; }
    location @challenge {
      default_type text/html;
      return 200 "<!doctype html><title>Проверка</title><script>document.cookie='checked=1';location.reload()</script>";
    }`,
        lock: place.lock('nginx'),
        server: '',
      }),
    ],
  },
];

export const nginxFronts: Layout[] = [
  {
    name: 'nginx-front-admitted',
    cause: 'front admitted',
    software: 'nginx → nginx',
    tree: office,
    servers: (place) => [
      nginx(place, { server: `location / { ${pass(place.behind)} }` }),
      nginx(place, { lock: place.lock('nginx', ['127.0.0.9']), server: '', port: place.behind }),
    ],
  },
  {
    name: 'nginx-map-past-lock',
    cause: 'routed past the lock',
    software: 'nginx → nginx',
    tree: wordpress,
    servers: (place) => [
      nginx(place, {
        http: `map $uri $upstream_of_path {
    default 127.0.0.1:${place.behind};
    "~^/wp-(content|includes)/" 127.0.0.1:${place.application};
  }`,
        server: `location / { ${pass(place.behind).replace(`127.0.0.1:${place.behind}`, '$upstream_of_path')} }`,
      }),
      nginx(place, {
        http: 'set_real_ip_from 127.0.0.9; real_ip_header X-Real-IP;',
        lock: place.lock('nginx'),
        server: '',
        port: place.behind,
      }),
    ],
  },
  {
    name: 'nginx-two-backends',
    cause: 'unlocked backend',
    software: 'nginx → nginx',
    tree: share,
    servers: (place) => [
      nginx(place, {
        http: `upstream servers { server 127.0.0.1:${place.behind}; server 127.0.0.1:${place.alsoBehind}; }
  set_real_ip_from 127.0.0.9; real_ip_header X-Real-IP;
  server { ${nginxListen(place, place.alsoBehind)} root ${place.folder}/site; index index.html; }`,
        server: `location / { ${pass(place.behind).replace(`127.0.0.1:${place.behind}`, 'servers')} }`,
      }),
      nginx(place, {
        http: 'set_real_ip_from 127.0.0.9; real_ip_header X-Real-IP;',
        lock: place.lock('nginx'),
        server: '',
        port: place.behind,
      }),
    ],
  },
];
