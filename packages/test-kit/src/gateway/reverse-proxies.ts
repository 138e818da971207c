import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from './certificate.ts';
import { listens, requireProgram, run, stop } from './client.ts';
import { freePort } from './upstreams.ts';

/**
 * Runs the configurations that operators get (`deploy/`) on Debian's nginx and Caddy in front of the real
 * api.
 */
export interface ReverseProxy {
  /** The HTTPS port. */
  readonly port: number;
  /** The HTTP port. */
  readonly plainPort: number;
  /** The folder of ACME proofs; Caddy answers them itself. */
  readonly acmeFolder: string;
  stop(): Promise<void>;
}

export const reverseProxies = ['nginx', 'caddy'] as const;

const deploy = new URL('../../../../deploy/', import.meta.url);

/** The host name in the files of `deploy/`. */
export const NAME = 'propusk.example.ru';

/**
 * Replaces the parts that an operator edits. @throws Error when the file lacks a part: the test would run a
 * different file
 */
function edit(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((edited, [from, to]) => {
    if (!edited.includes(from)) throw new Error(`deploy no longer says ${from}`);
    return edited.replaceAll(from, to);
  }, text);
}

async function nginxConfig(folder: string, port: number, plain: number, apis: readonly string[]) {
  const site = edit(await readFile(new URL('nginx.conf', deploy), 'utf8'), [
    ['    listen [::]:80;\n', ''],
    ['    listen [::]:443 ssl http2;\n', ''],
    ['listen 80;', `listen 127.0.0.1:${plain};`],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/ssl/propusk/', `${folder}/`],
    ['/var/www/acme', `${folder}/acme`],
    ['server 127.0.0.1:3000 ', `server ${apis[0]} `],
    ['# server 127.0.0.1:3001 ', `server ${apis[1]} `],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  ${site}
}
`;
}

async function caddyConfig(folder: string, port: number, plain: number, apis: readonly string[]) {
  const site = edit(await readFile(new URL('Caddyfile', deploy), 'utf8'), [
    // The test's gateway reaches it by address.
    [`\n${NAME} {\n`, `\nhttps://${NAME}:${port}, https://127.0.0.1:${port} {\n\tbind 127.0.0.1\n`],
    ['# tls /etc/ssl/propusk/cert.pem /etc/ssl/propusk/key.pem', `tls ${folder}/cert.pem ${folder}/key.pem`],
    ['127.0.0.1:3000', apis[0] ?? ''],
    ['# to 127.0.0.1:3001', `to ${apis[1]}`],
  ]);
  return `{\n\tadmin off\n\thttp_port ${plain}\n\tstorage file_system ${folder}/store\n\tdefault_sni ${NAME}\n}\n${site}`;
}

const programs = {
  nginx: {
    binary: '/usr/sbin/nginx',
    config: nginxConfig,
    args: (path: string) => ['-c', path, '-p', join(path, '..')],
  },
  caddy: {
    binary: '/usr/bin/caddy',
    config: caddyConfig,
    args: (path: string) => ['run', '--config', path, '--adapter', 'caddyfile'],
  },
};

/**
 * Starts a reverse proxy in front of two apis (`host:port`). @throws Error naming the Debian package when
 * it is missing
 */
export async function startReverseProxy(
  name: (typeof reverseProxies)[number],
  certificate: Certificate,
  apis: readonly [string, string],
): Promise<ReverseProxy> {
  const { binary, config, args } = programs[name];
  requireProgram(binary, name);
  const folder = await mkdtemp(join(tmpdir(), `propusk-before-${name}-`));
  await chmod(folder, 0o755);
  const [port, plain] = [await freePort(), await freePort()];
  await writeFile(join(folder, 'cert.pem'), certificate.cert);
  await writeFile(join(folder, 'key.pem'), certificate.key);
  await writeFile(join(folder, 'config'), await config(folder, port, plain, apis));
  // Tied to this process, so that a killed test leaves no server behind.
  const child = await run('setpriv', ['--pdeathsig', 'KILL', binary, ...args(join(folder, 'config'))], () =>
    listens(port),
  );
  return {
    port,
    plainPort: plain,
    acmeFolder: join(folder, 'acme'),
    async stop() {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
