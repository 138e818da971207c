import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { listens, requireProgram, run, stop } from './client.ts';
import { freePort } from './upstreams.ts';

/**
 * Independent web servers: Debian's Apache, nginx and Caddy. Each shows its name at `/`, over HTTP and
 * HTTPS.
 */
export interface WebServer {
  readonly port: number;
  readonly tlsPort: number;
  stop(): Promise<void>;
}

export const webServers = ['apache', 'nginx', 'caddy'] as const;

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly tlsPort: number;
}

const programs: Record<
  (typeof webServers)[number],
  { binary: string; debian: string; config: (place: Place) => string; args: (path: string) => string[] }
> = {
  apache: {
    binary: '/usr/sbin/apache2',
    debian: 'apache2',
    args: (path) => ['-X', '-f', path],
    config: ({ folder, port, tlsPort }) => {
      const modules = ['mpm_event', 'authz_core', 'dir', 'socache_shmcb', 'ssl'];
      const load = modules.map((each) => `LoadModule ${each}_module /usr/lib/apache2/modules/mod_${each}.so`);
      return `${load.join('\n')}
ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
Listen 127.0.0.1:${tlsPort}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
KeepAlive On
DocumentRoot ${folder}/root
<VirtualHost 127.0.0.1:${tlsPort}>
  SSLEngine on
  SSLCertificateFile ${folder}/cert.pem
  SSLCertificateKeyFile ${folder}/key.pem
</VirtualHost>
`;
    },
  },
  nginx: {
    binary: '/usr/sbin/nginx',
    debian: 'nginx',
    args: (path) => ['-c', path, '-p', join(path, '..')],
    config: ({ folder, port, tlsPort }) => `daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${tlsPort} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    root ${folder}/root;
    index index.html;
  }
}
`,
  },
  caddy: {
    binary: '/usr/bin/caddy',
    debian: 'caddy',
    args: (path) => ['run', '--config', path, '--adapter', 'caddyfile'],
    config: ({ folder, port, tlsPort }) => `{
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
  },
};

/** Starts a web server. @throws Error naming the Debian package when it is missing */
export async function startWebServer(
  name: (typeof webServers)[number],
  certificate: Certificate,
): Promise<WebServer> {
  const { binary, debian, config, args } = programs[name];
  requireProgram(binary, debian);
  const folder = await mkdtemp(join(tmpdir(), `propusk-${name}-`));
  const root = process.getuid?.() === 0;
  // Apache drops root, and writes its log and pid file here.
  await chmod(folder, root ? 0o777 : 0o755);
  const place = { folder, port: await freePort(), tlsPort: await freePort() };
  await mkdir(join(folder, 'root'));
  await writeFile(join(folder, 'root', 'index.html'), `${name} says hello\n`);
  await writeFile(join(folder, 'cert.pem'), certificate.cert);
  await writeFile(join(folder, 'key.pem'), certificate.key);
  await writeFile(join(folder, 'config'), config(place));
  const asUser =
    root && name === 'apache' ? ['--reuid', 'www-data', '--regid', 'www-data', '--clear-groups'] : [];
  // Tied to this process, so that a killed test leaves no server behind.
  const child = await run(
    'setpriv',
    [...asUser, '--pdeathsig', 'KILL', binary, ...args(join(folder, 'config'))],
    async () => (await listens(place.port)) && (await listens(place.tlsPort)),
  );
  return {
    ...place,
    async stop() {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
