import { apache, nginx, panel, pass, REMOTEIP } from '../configurations.ts';
import { type Layout, page } from '../layout.ts';
import { bitrix, office, publication, share, singlePage, wordpress } from '../trees.ts';

/** Layouts of nginx in front of Apache, as control panels for hosting create them. Apache has the lock, nginx serves files. */

const offload = (
  name: string,
  tree: Layout['tree'],
  lines: (port: number, folder: string) => string,
): Layout => ({
  name,
  cause: 'static offload',
  software: 'nginx → Apache',
  tree,
  servers: (place) =>
    panel(place, {
      server: `location / { ${pass(place.behind)} }
    location @back { ${pass(place.behind)} }
    ${lines(place.behind, place.folder)}`,
    }),
});

export const panelOffloads: Layout[] = [
  {
    ...offload('panel-try-files', wordpress, () => 'location ~* \\.(css|pdf|zip)$ { try_files $uri @back; }'),
    wanted: 'open',
  },
  offload(
    'panel-fallback-404',
    bitrix,
    () => `location ~* ^.+\\.(jpg|jpeg|png|gif|svg|js|css|ico|woff2)$ {
      expires max;
      error_page 404 = @back;
    }`,
  ),
  offload(
    'panel-expires',
    office,
    () => `location ~* \\.(jpe?g|png|svg|xlsx|pdf|css|js)$ { expires 7d; try_files $uri =404; }`,
  ),
  offload(
    'panel-documents',
    share,
    () => 'location ~* \\.(docx?|xlsx?|pdf|zip|rar|mp4)$ { try_files $uri @back; }',
  ),
  offload(
    'panel-scripts',
    { ...singlePage, '/api/': page('Описание', '/api/catalog.json') },
    () => 'location ~* \\.(js|woff2)$ { add_header Cache-Control public; try_files $uri @back; }',
  ),
];

const folders = (
  name: string,
  tree: Layout['tree'],
  lines: (folder: string) => string,
  mounts?: Layout['mounts'],
): Layout => ({
  name,
  cause: 'folder offload',
  software: 'nginx → Apache',
  tree,
  ...(mounts !== undefined && { mounts }),
  servers: (place) =>
    panel(place, { server: `location / { ${pass(place.behind)} }\n    ${lines(place.folder)}` }),
});

export const folderOffloads: Layout[] = [
  folders('panel-upload-folder', bitrix, () => 'location ^~ /upload/ { try_files $uri =404; }'),
  folders('panel-media-alias', office, (folder) => `location /media/ { alias ${folder}/disk/media/; }`, {
    '/media/': 'disk/media',
  }),
  {
    ...folders('panel-1c-scripts', publication, () => 'location ^~ /base/scripts/ { expires 30d; }'),
    pastedPath: '/base/',
  },
  folders(
    'panel-unlinked-folder',
    { ...wordpress, '/dumps/2026-03.sql': 'CREATE TABLE\n', '/dumps/2026-04.sql': 'CREATE TABLE\n' },
    () => 'location ^~ /dumps/ { }',
  ),
  folders('panel-share-listing', share, () => 'location ^~ /files/ { autoindex on; }'),
];

export const onlyBehind: Layout[] = [
  {
    name: 'panel-spa-front',
    cause: 'lock only behind',
    software: 'nginx → Apache',
    tree: singlePage,
    servers: (place) =>
      panel(place, {
        server: `location /api/ { ${pass(place.behind)} }
    location / { try_files $uri /index.html; }`,
      }),
  },
  {
    name: 'panel-home-page-front',
    cause: 'lock only behind',
    software: 'nginx → Apache',
    tree: office,
    servers: (place) =>
      panel(place, {
        server: `location = / { try_files /index.html =404; }
    location /static/ { }
    location / { ${pass(place.behind)} }`,
      }),
  },
  {
    name: 'panel-static-copy',
    cause: 'lock only behind',
    software: 'nginx → Apache',
    tree: wordpress,
    servers: (place) =>
      panel(place, {
        // A plugin of the site writes pages as files, and nginx serves these.
        server: `location / { try_files $uri $uri/index.html @back; }
    location @back { ${pass(place.behind)} }`,
      }),
  },
];

export const fallbacks: Layout[] = [
  {
    name: 'panel-refusal-to-files',
    cause: 'fallback on refusal',
    software: 'nginx → Apache',
    tree: office,
    servers: (place) =>
      panel(place, {
        server: `location / { ${pass(place.behind)} proxy_intercept_errors on; error_page 403 404 = @files; }
    location @files { try_files $uri $uri/index.html =404; }`,
      }),
  },
  {
    name: 'panel-refusal-to-application',
    cause: 'fallback on refusal',
    software: 'nginx → Apache and application',
    tree: wordpress,
    servers: (place) =>
      panel(place, {
        server: `location / { ${pass(place.behind)} proxy_intercept_errors on; error_page 403 = @application; }
    location @application { proxy_pass http://127.0.0.1:${place.application}; }`,
      }),
  },
  {
    name: 'panel-refusal-to-next',
    cause: 'fallback on refusal',
    software: 'nginx → Apache and application',
    tree: bitrix,
    servers: (place) =>
      panel(place, {
        http: `upstream servers {
    server 127.0.0.1:${place.behind};
    server 127.0.0.1:${place.application} backup;
  }`,
        server: `location / {
      ${pass(place.behind).replace(`127.0.0.1:${place.behind}`, 'servers')}
      proxy_next_upstream error timeout http_403;
    }`,
      }),
  },
];

export const fronts: Layout[] = [
  {
    // Apache sees the address of nginx, so the lock refuses users too.
    name: 'panel-without-remoteip',
    cause: 'users refused',
    wanted: 'closed',
    software: 'nginx → Apache',
    tree: bitrix,
    servers: (place) => [
      nginx(place, { server: `location / { ${pass(place.behind)} }` }),
      apache(place, { htaccess: place.lock('htaccess'), port: place.behind }),
    ],
  },
  {
    // The owner added the address that the log of Apache shows: that of nginx.
    name: 'panel-front-admitted',
    cause: 'front admitted',
    software: 'nginx → Apache',
    tree: wordpress,
    servers: (place) => [
      nginx(place, { server: `location / { ${pass(place.behind)} }` }),
      apache(place, { htaccess: place.lock('htaccess', ['127.0.0.9']), port: place.behind }),
    ],
  },
  {
    name: 'panel-trusts-everyone',
    cause: 'forged address',
    software: 'nginx → Apache',
    tree: office,
    servers: (place) => [
      nginx(place, {
        server: `location / {
      ${pass(place.behind).replace('X-Real-IP $remote_addr', 'X-Real-IP $http_x_real_ip').replace('X-Forwarded-For $remote_addr', 'X-Forwarded-For $proxy_add_x_forwarded_for')}
    }`,
      }),
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: `${REMOTEIP.replace('X-Real-IP', 'X-Forwarded-For')}\nRemoteIPInternalProxy 127.0.0.0/30`,
        port: place.behind,
      }),
    ],
  },
];
