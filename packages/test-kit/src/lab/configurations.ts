import { apacheMain } from '../locks/apache.ts';
import { nginxLockParts, nginxMain } from '../locks/nginx.ts';
import type { Place, Server } from './layout.ts';
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
  /** The names of the server; by default those with and without `www`. */
  readonly name?: string;
}

/** The `listen` lines of a public server: startDaemon asks 127.0.0.1, visitors use the address of the site. */
export const nginxListen = (place: Place, port = place.port) =>
  port === place.port
    ? `listen 127.0.0.1:${port}; listen ${place.address}:${port};`
    : `listen 127.0.0.1:${port};`;

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
    ${nginxListen(place, port)}
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

/** Caddy with one site, whose lines the layout states. */
export function caddy(place: Place, site: string, port = place.port): Server {
  return {
    program: 'caddy',
    port,
    configuration: () => `{
  admin off
  auto_https off
}
http://${place.host}:${port} {
  bind 127.0.0.1 ${port === place.port ? place.address : ''}
${site}
}
`,
  };
}

/** The lock for Caddy with lines of the owner inside and before it. The text names the site, which `caddy` renders. */
export function caddyLocked(place: Place, inside: string, before = ''): Server {
  const text = place.lock('caddy');
  const place_ = /^\t\t# Дальше.*$/m;
  if (!place_.test(text)) throw new Error('the lock for Caddy has no place for the rest');
  const block = text.slice(text.indexOf('{\n') + 2, text.lastIndexOf('}'));
  return caddy(place, `${before}\n${block.replace(place_, () => inside)}`);
}

/** lighttpd with one server, whose lines the layout states. */
export function lighttpd(place: Place, lines: string, port = place.port): Server {
  return {
    program: 'lighttpd',
    port,
    configuration: (folder) => `server.modules = ("mod_proxy", "mod_alias", "mod_setenv", "mod_dirlisting")
server.document-root = "${place.folder}/site"
server.bind = "127.0.0.1"
server.port = ${port}
server.errorlog = "${folder}/error.log"
index-file.names = ("index.html")
mimetype.assign = (".html" => "text/html", ".css" => "text/css", ".js" => "text/javascript", ".png" => "image/png",
  ".xml" => "text/xml", ".txt" => "text/plain", ".pdf" => "application/pdf", "" => "application/octet-stream")
${port === place.port ? `$SERVER["socket"] == "${place.address}:${port}" { }` : ''}
${lines}
`,
  };
}

/** HAProxy with one frontend. Its backends add the visitor's address, unless the layout states other lines. */
export function haproxy(
  place: Place,
  parts: { frontend: string; backends: string; binds?: readonly string[] },
): Server {
  const binds = [`127.0.0.1:${place.port}`, `${place.address}:${place.port}`, ...(parts.binds ?? [])];
  return {
    program: 'haproxy',
    port: place.port,
    configuration: () => `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend site
${binds.map((bind) => `  bind ${bind}`).join('\n')}
${parts.frontend}
${parts.backends}
`,
  };
}

/** The lines by which HAProxy replaces the visitor's address in the headers. */
export const HAPROXY_ADDRESS = `  http-request del-header X-Forwarded-For
  http-request set-header X-Real-IP %[src]`;

/** A backend of HAProxy with servers on these ports. */
export const backend = (name: string, ...ports: readonly number[]) =>
  `backend ${name}
  source ${FRONT_ADDRESS}
${ports.map((port) => `  server s${port} 127.0.0.1:${port}`).join('\n')}
`;

/** squid as an accelerator in front of one server. */
export function squid(place: Place, port: number, lines = 'cache deny all'): Server {
  return {
    program: 'squid',
    port: place.port,
    configuration: (
      folder,
    ) => `http_port 127.0.0.1:${place.port} accel defaultsite=${place.host}:${place.port} vhost
http_port ${place.address}:${place.port} accel defaultsite=${place.host}:${place.port} vhost
cache_peer 127.0.0.1 parent ${port} 0 no-query no-digest originserver name=origin
http_access allow all
cache_peer_access origin allow all
never_direct allow all
tcp_outgoing_address ${FRONT_ADDRESS}
forwarded_for truncate
visible_hostname ${place.host}
cache_mem 8 MB
memory_cache_shared off
${lines}
pid_filename none
access_log none
cache_log ${folder}/cache.log
pinger_enable off
netdb_filename none
shutdown_lifetime 0 seconds
coredump_dir ${folder}
`,
  };
}
