import { join } from 'node:path';
import { type Daemon, freePort, openFolder, startDaemon } from '../daemon.ts';
import { put, SITE, writeSite } from './site.ts';

export interface NginxSite {
  /** The text of the lock. */
  readonly lock?: string;
  /** The owner's own lines in `server { }` after the lock. */
  readonly server?: string;
}

export const NGINX = '/usr/sbin/nginx';

/** Starts nginx with the site on loopback, on IPv4 and IPv6. */
export async function startNginx(site: NginxSite): Promise<Daemon> {
  const folder = await openFolder('lock-nginx');
  const port = await freePort();
  await writeSite(join(folder, 'site'));
  return runNginx(folder, port, nginxConf(folder, port, site));
}

/** Starts nginx with a configuration. */
export async function runNginx(
  folder: string,
  ports: Parameters<typeof startDaemon>[1],
  configuration: string,
): Promise<Daemon> {
  await put(join(folder, 'nginx.conf'), configuration);
  return startDaemon(folder, ports, NGINX, nginxArguments(folder));
}

/** Renders a configuration whose files are in one folder, from the lines of `http { }`. */
export function nginxMain(folder: string, http: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${http}
}
`;
}

/** The arguments that keep all files of nginx in one folder. */
export function nginxArguments(folder: string): string[] {
  return ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
}

/** Splits the lock into its parts for `http` and `server`. */
export function nginxLockParts(lock: string): { http: string; server: string } {
  const at = lock.indexOf('# 2. ');
  if (at < 0) throw new Error('the lock for nginx has no second part');
  return { http: lock.slice(0, at), server: lock.slice(at) };
}

/** Renders the whole configuration; a test changes only the owner's part and the lock. */
export function nginxConf(folder: string, port: number, site: NginxSite): string {
  const { http, server } = site.lock === undefined ? { http: '', server: '' } : nginxLockParts(site.lock);
  return nginxMain(
    folder,
    `include /etc/nginx/mime.types;
  ${http}
  server {
    listen 127.0.0.1:${port};
    listen [::1]:${port};
    listen [::ffff:127.0.0.2]:${port} ipv6only=off;
    server_name ${SITE};
    root ${folder}/site;
    index index.html;
    ${server}
    ${site.server ?? ''}
  }`,
  );
}
