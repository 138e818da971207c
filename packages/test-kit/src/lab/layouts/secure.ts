import { nginx } from '../configurations.ts';
import { CERTIFICATE, type Layout } from '../layout.ts';
import { bitrix, office, wordpress } from '../trees.ts';
import { inLocation } from './nginx.ts';

/** Layouts that speak HTTPS, with a self-signed certificate. */
export const secures: Layout[] = [
  {
    name: 'secure-uploads-location',
    cause: 'lock in one location',
    software: 'nginx',
    scheme: 'https',
    tree: wordpress,
    servers: (place) => [
      nginx(place, {
        isSecure: true,
        lock: inLocation(place.lock('nginx'), '/'),
        server: 'location ^~ /wp-content/uploads/ { expires max; }',
      }),
    ],
  },
  {
    name: 'secure-client-certificate',
    cause: 'users refused',
    software: 'nginx',
    scheme: 'https',
    tree: office,
    servers: (place) => [
      nginx(place, {
        isSecure: true,
        before: `ssl_client_certificate ${place.folder}/${CERTIFICATE.cert}; ssl_verify_client optional;`,
        lock: place.lock('nginx'),
        server: 'location / { if ($ssl_client_verify != SUCCESS) { return 400; } }',
      }),
    ],
  },
  {
    name: 'closed-secure-nginx',
    cause: 'none',
    software: 'nginx',
    scheme: 'https',
    tree: bitrix,
    servers: (place) => [
      nginx(place, {
        isSecure: true,
        lock: place.lock('nginx'),
        server: 'location / { try_files $uri $uri/index.html =404; }',
      }),
    ],
  },
];
