import { apacheMain } from '../locks/apache.ts';
import { nginxLockParts, nginxMain } from '../locks/nginx.ts';
import { CERTIFICATE, type Place, type Server } from './layout.ts';
import { FRONT_ADDRESS } from './servers.ts';

/** Renders the configurations of the laboratory's servers; a layout states only its own lines. */

export interface NginxParts {
  /** The text of the lock, in its two places. */
  readonly lock?: string;
  /** Lines of `http { }`. */
  readonly http?: string;
  /** Lines of `server { }` before the lock, and after it. */
  readonly before?: string;
  readonly server: string;
  /** The port; by default the public one. */
  readonly port?: number;
  /** The document root below the place's folder. */
  readonly root?: string;
  /** Whether the public port speaks HTTPS. */
  readonly isSecure?: boolean;
  /** The names of the server; by default those with and without `www`. */
  readonly name?: string;
}

/** The `listen` lines of a public server: startDaemon asks 127.0.0.1, visitors use the address of the site. */
export const nginxListen = (place: Place, port = place.port) =>
  port === place.port
    ? `listen 127.0.0.1:${port}; listen ${place.address}:${port};`
    : `listen 127.0.0.1:${port};`;

/** The public server's lines for HTTPS. */
const secure = (place: Place) => `${nginxListen(place).replaceAll(';', ' ssl;')}
    ssl_certificate ${place.folder}/${CERTIFICATE.cert};
    ssl_certificate_key ${place.folder}/${CERTIFICATE.key};`;

/** nginx with one server. */
export function nginx(place: Place, parts: NginxParts): Server {
  const port = parts.port ?? place.port;
  const lock = parts.lock === undefined ? { http: '', server: '' } : nginxLockParts(parts.lock);
  return {
    program: 'nginx',
    port,
    configuration: (folder) =>
      nginxMain(
        folder,
        `include /etc/nginx/mime.types;
  ${parts.http?.replaceAll('{folder}', folder) ?? ''}
  ${lock.http}
  server {
    ${parts.isSecure === true ? secure(place) : nginxListen(place, port)}
    server_name ${parts.name ?? `${place.host} www.${place.host}`};
    root ${place.folder}/${parts.root ?? 'site'};
    index index.html;
    ${parts.before ?? ''}
    ${lock.server}
    ${parts.server}
  }`,
      ),
  };
}

/** The lines that pass a request to a server behind, with the visitor's address. */
export const pass = (port: number) => `proxy_pass http://127.0.0.1:${port};
    proxy_bind ${FRONT_ADDRESS};
    proxy_set_header Host $http_host;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $remote_addr;`;

/** The lines by which Apache takes the visitor's address from the server in front. */
export const REMOTEIP = `RemoteIPHeader X-Real-IP
RemoteIPInternalProxy ${FRONT_ADDRESS}`;

export interface ApacheParts {
  /** The text of `.htaccess` in the document root. */
  readonly htaccess?: string;
  /** The value of AllowOverride; the default is All. */
  readonly allowOverride?: string;
  /** Lines of the virtual host. */
  readonly host?: string;
  /** Lines outside the virtual host. */
  readonly main?: string;
  /** Further files by path below the place's folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further addresses and ports to listen on. */
  readonly listen?: readonly string[];
  readonly port?: number;
  readonly root?: string;
}

const modules = [
  'mpm_event',
  'access_compat',
  'alias',
  'auth_basic',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_host',
  'authz_user',
  'autoindex',
  'cache',
  'cache_disk',
  'dir',
  'expires',
  'headers',
  'mime',
  'proxy',
  'proxy_http',
  'remoteip',
  'rewrite',
  'status',
];

/** Apache with one virtual host. */
export function apache(place: Place, parts: ApacheParts): Server {
  const port = parts.port ?? place.port;
  const root = `${place.folder}/${parts.root ?? 'site'}`;
  const addresses =
    port === place.port ? [`127.0.0.1:${port}`, `${place.address}:${port}`] : [`127.0.0.1:${port}`];
  return {
    program: 'apache',
    port,
    ...((parts.htaccess !== undefined || parts.files !== undefined) && {
      files: {
        ...(parts.htaccess !== undefined && { [`${parts.root ?? 'site'}/.htaccess`]: parts.htaccess }),
        ...parts.files,
      },
    }),
    configuration: (folder) =>
      apacheMain(
        folder,
        modules,
        `${[...addresses, ...(parts.listen ?? [])].map((each) => `Listen ${each}`).join('\n')}
TypesConfig /etc/mime.types
CacheRoot ${folder}
<Directory />
  Require all denied
</Directory>
<FilesMatch "^\\.ht">
  Require all denied
</FilesMatch>
${parts.main ?? ''}
<VirtualHost *:${port}>
  ServerName ${place.host}
  ServerAlias www.${place.host}
  DocumentRoot ${root}
  DirectoryIndex index.html
  <Directory ${place.folder}>
    Options +FollowSymLinks
    Require all granted
  </Directory>
  <Directory ${root}>
    AllowOverride ${parts.allowOverride ?? 'All'}
  </Directory>
  ${parts.host ?? ''}
</VirtualHost>
`,
      ),
  };
}

/** nginx in front of Apache with the lock of `.htaccess`; only the lines of the server in front differ. */
export function panel(
  place: Place,
  front: Omit<NginxParts, 'lock'>,
  back: Omit<ApacheParts, 'port'> = {},
): Server[] {
  return [
    nginx(place, front),
    apache(place, {
      htaccess: place.lock('htaccess'),
      ...back,
      host: `${REMOTEIP}\n${back.host ?? ''}`,
      port: place.behind,
    }),
  ];
}
