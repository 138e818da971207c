import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Daemon, freePort, openFolder, startDaemon } from '../daemon.ts';
import { runCaddy } from '../locks/caddy.ts';
import { nginxMain, runNginx } from '../locks/nginx.ts';
import { put } from '../locks/site.ts';
import type { Certificate } from './certificate.ts';

/**
 * Runs the configurations that operators get (`deploy/`): Debian's nginx and Caddy in front of the real api,
 * and HAProxy in front of gateways.
 */
export interface ReverseProxy extends Daemon {
  /** The HTTP port; `port` is that of HTTPS. */
  readonly plainPort: number;
  /** The folder of ACME challenge files for nginx; Caddy answers the challenges itself. */
  readonly acmeFolder: string;
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

async function startNginx(folder: string, port: number, plain: number, apis: readonly string[]) {
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
  return runNginx(folder, port, nginxMain(folder, site));
}

async function startCaddy(folder: string, port: number, plain: number, apis: readonly string[]) {
  const site = edit(await readFile(new URL('Caddyfile', deploy), 'utf8'), [
    // The gateway of the test reaches Caddy by IP address, so listen for both the name and the address.
    [`\n${NAME} {\n`, `\nhttps://${NAME}:${port}, https://127.0.0.1:${port} {\n\tbind 127.0.0.1\n`],
    ['# tls /etc/ssl/propusk/cert.pem /etc/ssl/propusk/key.pem', `tls ${folder}/cert.pem ${folder}/key.pem`],
    ['127.0.0.1:3000', apis[0] ?? ''],
    ['# to 127.0.0.1:3001', `to ${apis[1]}`],
  ]);
  const options = `{\n\tadmin off\n\thttp_port ${plain}\n\tstorage file_system ${folder}/store\n\tdefault_sni ${NAME}\n}\n`;
  return runCaddy(folder, port, `${options}${site}`);
}

/** Starts a reverse proxy in front of two apis (`host:port`). @throws Error when its program is missing */
export async function startReverseProxy(
  name: (typeof reverseProxies)[number],
  certificate: Certificate,
  apis: readonly [string, string],
): Promise<ReverseProxy> {
  const folder = await openFolder(`before-${name}`);
  const [port, plainPort] = [await freePort(), await freePort()];
  await put(join(folder, 'cert.pem'), certificate.cert);
  await put(join(folder, 'key.pem'), certificate.key);
  const daemon = await (name === 'nginx' ? startNginx : startCaddy)(folder, port, plainPort, apis);
  return { ...daemon, plainPort, acmeFolder: join(folder, 'acme') };
}

export interface Balancer extends Daemon {
  /** Reads the status of each gateway and of its last health check, such as `UP L4OK`. */
  states(): Promise<string[]>;
}

/** Starts HAProxy in front of two gateways on these ports of loopback. @throws Error when it is missing */
export async function startBalancer(gateways: readonly [number, number]): Promise<Balancer> {
  const folder = await openFolder('haproxy');
  const port = await freePort();
  const file = edit(await readFile(new URL('haproxy.cfg', deploy), 'utf8'), [
    ['bind :3128', `bind 127.0.0.1:${port}`],
    ['10.0.0.11:3128', `127.0.0.1:${gateways[0]}`],
    ['10.0.0.12:3128', `127.0.0.1:${gateways[1]}`],
  ]);
  const [path, stats] = [join(folder, 'haproxy.cfg'), join(folder, 'stats')];
  await put(path, `${file}\nglobal\n    stats socket ${stats}\n`);
  const daemon = await startDaemon(folder, port, '/usr/sbin/haproxy', ['-db', '-f', path]);
  return {
    ...daemon,
    async states() {
      const table = await text(connect(stats).end('show stat\n'));
      const [head = [], ...rows] = table.split('\n').map((line) => line.replace(/^# /, '').split(','));
      const servers = rows.filter((row) => row[head.indexOf('svname')]?.startsWith('gateway'));
      return servers.map((row) =>
        ['status', 'check_status'].map((name) => row[head.indexOf(name)]).join(' '),
      );
    },
  };
}
