import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Daemon, freePort, openFolder, startDaemon } from '../daemon.ts';
import { put, SITE, writeSite } from './site.ts';

export interface ApacheSite {
  /** The site's .htaccess, or a function of the server's folder. */
  readonly htaccess?: string | ((folder: string) => string);
  /** The value of AllowOverride; the default is None. */
  readonly allowOverride?: string;
  /** Additional lines at the end of the site's <VirtualHost>. */
  readonly host?: string;
  /** Additional files of the site by path. */
  readonly files?: Readonly<Record<string, string>>;
}

export const APACHE = '/usr/sbin/apache2';

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
  'headers',
  'mime',
  'negotiation',
  'proxy',
  'proxy_http',
  'remoteip',
  'rewrite',
];

/** Starts Apache with the site on loopback, on IPv4 and IPv6. */
export async function startApache(site: ApacheSite): Promise<Daemon> {
  const folder = await openFolder('lock-apache');
  const port = await freePort();
  const root = join(folder, 'site');
  await writeSite(root);
  for (const [path, text] of Object.entries(site.files ?? {})) await put(join(root, path), text);
  const { htaccess } = site;
  if (htaccess !== undefined) {
    await put(join(root, '.htaccess'), typeof htaccess === 'string' ? htaccess : htaccess(folder));
  }
  await mkdir(join(folder, 'cache'), { mode: 0o777 });
  await chmod(join(folder, 'cache'), 0o777);
  await put(join(folder, 'elsewhere', 'private.txt'), 'secret of the house: elsewhere\n');
  return runApache(folder, port, apacheConf(folder, port, site));
}

/** Starts Apache with a configuration. */
export async function runApache(
  folder: string,
  ports: Parameters<typeof startDaemon>[1],
  configuration: string,
): Promise<Daemon> {
  await put(join(folder, 'apache.conf'), configuration);
  return startDaemon(folder, ports, APACHE, ['-X', '-f', join(folder, 'apache.conf')]);
}

/** Renders a configuration whose files are in one folder. */
export function apacheMain(folder: string, names: readonly string[], lines: string): string {
  const load = names.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
  return `${load.join('\n')}
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
${lines}`;
}

/** Renders the whole configuration; a test changes only the site's part. */
export function apacheConf(folder: string, port: number, site: ApacheSite): string {
  return apacheMain(
    folder,
    modules,
    `Listen 127.0.0.1:${port}
Listen [::1]:${port}
Listen [::ffff:127.0.0.2]:${port}
TypesConfig /etc/mime.types
TraceEnable On
CacheRoot ${folder}/cache
<Directory />
  Require all denied
</Directory>
<FilesMatch "^\\.ht">
  Require all denied
</FilesMatch>
<VirtualHost *:${port}>
  ServerName ${SITE}
  DocumentRoot ${folder}/site
  DirectoryIndex index.html
  <Directory ${folder}/site>
    Options +Indexes +FollowSymLinks +MultiViews
    AllowOverride ${site.allowOverride ?? 'None'}
    Require all granted
  </Directory>
  <Directory ${folder}/elsewhere>
    Require all granted
  </Directory>
  Alias /elsewhere ${folder}/elsewhere
  ${site.host ?? ''}
</VirtualHost>
`,
  );
}
