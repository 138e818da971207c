import { apache, nginx, pass, REMOTEIP } from '../configurations.ts';
import { backend, HAPROXY_ADDRESS, haproxy, squid } from '../front-servers.ts';
import type { Layout } from '../layout.ts';
import { bitrix, office, share, singlePage } from '../trees.ts';

/** Layouts with a cache in front of the locked server: strangers read what a user has read before. */

const cached = (name: string, tree: Layout['tree'], locations: (pass: string) => string): Layout => ({
  name,
  cause: 'cache',
  software: 'nginx with a cache → Apache',
  tree,
  servers: (place) => [
    nginx(place, {
      http: 'proxy_cache_path {folder}/cache keys_zone=site:1m;',
      server: locations(`${pass(place.behind)} proxy_cache site; proxy_cache_valid 200 10m;`),
    }),
    apache(place, { htaccess: place.lock('htaccess'), host: REMOTEIP, port: place.behind }),
  ],
});

export const caches: Layout[] = [
  cached('nginx-page-cache', office, (pass) => `location / { ${pass} }`),
  cached(
    'nginx-file-cache',
    bitrix,
    (pass) =>
      `location ~* \\.(jpg|png|css|js)$ { ${pass} }
    location / { ${pass.replace('proxy_cache site', 'proxy_cache off')} }`,
  ),
  {
    name: 'squid-accelerator-cache',
    cause: 'cache',
    software: 'squid → Apache',
    tree: share,
    servers: (place) => [
      squid(place, place.behind, 'refresh_pattern . 10 100% 100 override-lastmod'),
      apache(place, {
        htaccess: place.lock('htaccess'),
        host: REMOTEIP.replace('X-Real-IP', 'X-Forwarded-For'),
        port: place.behind,
      }),
    ],
  },
  {
    name: 'haproxy-cache',
    cause: 'cache',
    software: 'HAProxy with a cache → Apache',
    tree: singlePage,
    servers: (place) => [
      haproxy(place, {
        frontend: `${HAPROXY_ADDRESS}
  http-request cache-use files
  http-response cache-store files
  default_backend apache`,
        backends: `${backend('apache', place.behind)}
cache files
  total-max-size 4
  max-age 600`,
      }),
      apache(place, { htaccess: place.lock('htaccess'), host: REMOTEIP, port: place.behind }),
    ],
  },
];
