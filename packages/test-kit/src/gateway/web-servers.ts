import { join } from 'node:path';
import { type Daemon, freePort, openFolder } from '../daemon.ts';
import { apacheMain, runApache } from '../locks/apache.ts';
import { runCaddy } from '../locks/caddy.ts';
import { nginxMain, runNginx } from '../locks/nginx.ts';
import { put } from '../locks/site.ts';
import type { Certificate } from './certificate.ts';

/**
 * Independent web servers: Debian's Apache, nginx and Caddy. Each shows its name at `/`, over HTTP and
 * HTTPS.
 */
export interface WebServer extends Daemon {
  readonly tlsPort: number;
}

export const webServers = ['apache', 'nginx', 'caddy'] as const;

const start: Record<
  (typeof webServers)[number],
  (folder: string, port: number, tlsPort: number) => Promise<Daemon>
> = {
  apache: (folder, port, tlsPort) =>
    runApache(
      folder,
      [port, tlsPort],
      apacheMain(
        folder,
        ['mpm_event', 'authz_core', 'dir', 'socache_shmcb', 'ssl'],
        `Listen 127.0.0.1:${port}
Listen 127.0.0.1:${tlsPort}
KeepAlive On
DocumentRoot ${folder}/root
<VirtualHost 127.0.0.1:${tlsPort}>
  SSLEngine on
  SSLCertificateFile ${folder}/cert.pem
  SSLCertificateKeyFile ${folder}/key.pem
</VirtualHost>
`,
      ),
    ),
  nginx: (folder, port, tlsPort) =>
    runNginx(
      folder,
      [port, tlsPort],
      nginxMain(
        folder,
        `server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    root ${folder}/root;
    index index.html;
  }`,
      ),
    ),
  caddy: (folder, port, tlsPort) =>
    runCaddy(
      folder,
      [port, tlsPort],
      `{
  admin off
  auto_https off
  storage file_system ${folder}/store
}
http://:${port} {
  bind 127.0.0.1
  root * ${folder}/root
  file_server
}
https://:${tlsPort} {
  bind 127.0.0.1
  tls ${folder}/cert.pem ${folder}/key.pem
  root * ${folder}/root
  file_server
}
`,
    ),
};

/** Starts a web server. @throws Error when its program is missing */
export async function startWebServer(
  name: (typeof webServers)[number],
  certificate: Certificate,
): Promise<WebServer> {
  const folder = await openFolder(name);
  const tlsPort = await freePort();
  await put(join(folder, 'root', 'index.html'), `${name} says hello\n`);
  await put(join(folder, 'cert.pem'), certificate.cert);
  await put(join(folder, 'key.pem'), certificate.key);
  return { ...(await start[name](folder, await freePort(), tlsPort)), tlsPort };
}
