import type { Place, Server } from './layout.ts';
import { FRONT_ADDRESS } from './servers.ts';

/** Renders the configurations of Caddy, lighttpd, HAProxy and squid. */

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
  const rest = /^\t\t# Дальше.*$/m;
  if (!rest.test(text)) throw new Error('the lock for Caddy has no place for the rest');
  const block = text.slice(text.indexOf('{\n') + 2, text.lastIndexOf('}'));
  return caddy(place, `${before}\n${block.replace(rest, () => inside)}`);
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
