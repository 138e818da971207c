import { apache } from '../configurations.ts';
import { caddy, caddyLocked } from '../front-servers.ts';
import type { Layout, Place } from '../layout.ts';
import { bitrix, office, share, singlePage, wordpress } from '../trees.ts';

/** Layouts of Caddy: directives of the owner outside the route of the lock, or Caddy in front of a locked server. */

const handled = (
  name: string,
  tree: Layout['tree'],
  before: (place: Place) => string,
  parts: Partial<Layout> = {},
): Layout => ({
  name,
  cause: 'handle before the lock',
  software: 'Caddy',
  tree,
  ...parts,
  servers: (place) => [
    caddyLocked(place, `root * ${place.folder}/site\nfile_server`, `\tvars lab 1\n${before(place)}`),
  ],
});

const files = ({ folder }: Place) => `root * ${folder}/site\nfile_server`;

export const handles: Layout[] = [
  handled('caddy-handle-files', share, (place) => `handle /files/* {\n${files(place)} browse\n}`),
  handled(
    'caddy-handle-media',
    office,
    ({ folder }) => `handle_path /media/* {\nroot * ${folder}/disk/media\nfile_server\n}`,
    { mounts: { '/media/': 'disk/media' } },
  ),
  handled(
    'caddy-handle-static',
    wordpress,
    (place) => `@static path *.css *.js *.jpg\nhandle @static {\n${files(place)}\n}`,
  ),
  handled(
    'caddy-handle-api',
    singlePage,
    ({ application }) => `handle /api/* {\nreverse_proxy 127.0.0.1:${application}\n}`,
  ),
  handled(
    'caddy-unlinked-handle',
    { ...bitrix, '/exchange/stock.csv': 'sku\n', '/exchange/people.csv': 'name\n' },
    (place) => `handle /exchange/* {\n${files(place)}\n}`,
  ),
];

/** Caddy replaces X-Forwarded-For, and connects from the same address as strangers. */
const CADDY_REMOTEIP = 'RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy 127.0.0.1';

export const caddyFronts: Layout[] = [
  {
    name: 'caddy-routes-media',
    cause: 'routed past the lock',
    software: 'Caddy → Apache',
    tree: office,
    servers: (place) => [
      caddy(
        place,
        `handle /media/* {
  reverse_proxy 127.0.0.1:${place.application}
}
handle {
  reverse_proxy 127.0.0.1:${place.behind}
}`,
      ),
      apache(place, { htaccess: place.lock('htaccess'), host: CADDY_REMOTEIP, port: place.behind }),
    ],
  },
  {
    name: 'caddy-two-backends',
    cause: 'unlocked backend',
    software: 'Caddy → Apache',
    tree: bitrix,
    servers: (place) => [
      caddy(
        place,
        `reverse_proxy 127.0.0.1:${place.behind} 127.0.0.1:${place.alsoBehind} {
  lb_policy round_robin
}`,
      ),
      apache(place, { htaccess: place.lock('htaccess'), host: CADDY_REMOTEIP, port: place.behind }),
      apache(place, { allowOverride: 'None', port: place.alsoBehind }),
    ],
  },
];
