import { apache, REMOTEIP } from '../configurations.ts';
import { backend, HAPROXY_ADDRESS, haproxy, lighttpd } from '../front-servers.ts';
import { type Layout, type Place, page } from '../layout.ts';
import { bitrix, office, publication, share, singlePage, wordpress } from '../trees.ts';

/** Layouts with HAProxy or lighttpd in front of a locked Apache. */

const locked = (place: Place, host = REMOTEIP) =>
  apache(place, {
    htaccess: place.lock('htaccess'),
    host,
    port: place.behind,
    listen: [`[::1]:${place.behind}`],
  });

const routed = (
  name: string,
  tree: Layout['tree'],
  rule: string,
  cause: Layout['cause'] = 'routed past the lock',
): Layout => ({
  name,
  cause,
  software: 'HAProxy → Apache and application',
  tree,
  servers: (place) => [
    haproxy(place, {
      frontend: `${HAPROXY_ADDRESS}
  use_backend application if ${rule}
  default_backend apache`,
      backends: backend('apache', place.behind) + backend('application', place.application),
    }),
    locked(place),
  ],
});

export const haproxies: Layout[] = [
  routed('haproxy-routes-static', office, '{ path_beg /static/ }'),
  routed('haproxy-routes-documents', share, '{ path_end .pdf .zip }'),
  routed(
    'haproxy-deep-path',
    {
      ...wordpress,
      '/contacts/': page('Контакты', '/contacts/map/', '/'),
      '/contacts/map/': page('Карта', '/contacts/rooms/'),
      '/contacts/rooms/': page('Комнаты', '/camera/yard.jpg'),
      '/camera/yard.jpg': 'JPEG\n',
    },
    '{ path_beg /camera/ }',
  ),
  {
    name: 'haproxy-two-backends',
    cause: 'unlocked backend',
    software: 'HAProxy → Apache',
    tree: publication,
    pastedPath: '/base/',
    servers: (place) => [
      haproxy(place, {
        frontend: `${HAPROXY_ADDRESS}\n  default_backend apache`,
        backends: backend('apache', place.behind, place.alsoBehind),
      }),
      locked(place),
      apache(place, { allowOverride: 'None', port: place.alsoBehind }),
    ],
  },
  {
    name: 'haproxy-keeps-header',
    cause: 'forged address',
    software: 'HAProxy → Apache',
    tree: office,
    servers: (place) => [
      haproxy(place, {
        frontend: '  option forwardfor if-none\n  default_backend apache',
        backends: backend('apache', place.behind),
      }),
      locked(place, REMOTEIP.replace('X-Real-IP', 'X-Forwarded-For')),
    ],
  },
  {
    name: 'haproxy-front-admitted',
    cause: 'front admitted',
    software: 'HAProxy → Apache',
    tree: singlePage,
    servers: (place) => [
      haproxy(place, { frontend: '  default_backend apache', backends: backend('apache', place.behind) }),
      apache(place, { htaccess: place.lock('htaccess', ['127.0.0.9']), port: place.behind }),
    ],
  },
];

/**
 * lighttpd adds the visitor's address to X-Forwarded-For. It connects over IPv6, because its IPv4 address would be that of a
 * stranger.
 */
const LIGHTTPD_REMOTEIP = 'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy ::1';

const lighttpdBefore = (
  name: string,
  cause: Layout['cause'],
  tree: Layout['tree'],
  lines: (place: Place, proxy: string) => string,
  mounts?: Layout['mounts'],
): Layout => ({
  name,
  cause,
  software: 'lighttpd → Apache',
  tree,
  ...(mounts !== undefined && { mounts }),
  servers: (place) => [
    lighttpd(place, lines(place, `proxy.server = ("" => (("host" => "::1", "port" => ${place.behind})))`)),
    locked(place, LIGHTTPD_REMOTEIP),
  ],
});

export const lighttpds: Layout[] = [
  lighttpdBefore(
    'lighttpd-static-files',
    'file types before the proxy',
    bitrix,
    (_, proxy) => `$HTTP["url"] !~ "\\.(css|js|png|jpg)$" { ${proxy} }`,
  ),
  lighttpdBefore(
    'lighttpd-share-folder',
    'file types before the proxy',
    share,
    (_, proxy) => `$HTTP["url"] !~ "^/files/" { ${proxy} }
$HTTP["url"] =~ "^/files/" { dir-listing.activate = "enable" }`,
  ),
  lighttpdBefore(
    'lighttpd-alias',
    'file types before the proxy',
    office,
    ({ folder }, proxy) => `alias.url = ("/media/" => "${folder}/disk/media/")
$HTTP["url"] !~ "^/media/" { ${proxy} }`,
    { '/media/': 'disk/media' },
  ),
];
