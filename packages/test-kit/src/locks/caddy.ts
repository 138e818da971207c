import { join } from 'node:path';
import { type Daemon, freePort, openFolder, startDaemon } from '../daemon.ts';
import { put, SITE, writeSite } from './site.ts';

export interface CaddySite {
  /** The text of the lock. */
  readonly lock?: string;
  /** The owner's own lines in the site's block. */
  readonly block: string;
}

export const CADDY = '/usr/bin/caddy';

/** Starts Caddy with the site on loopback, on IPv4 and IPv6. */
export async function startCaddy(site: CaddySite): Promise<Daemon> {
  const folder = await openFolder('lock-caddy');
  const port = await freePort();
  await writeSite(join(folder, 'site'));
  return runCaddy(folder, port, caddyfile(folder, port, site));
}

/** Starts Caddy with a Caddyfile. */
export async function runCaddy(
  folder: string,
  ports: Parameters<typeof startDaemon>[1],
  configuration: string,
): Promise<Daemon> {
  const path = join(folder, 'Caddyfile');
  await put(path, configuration);
  return startDaemon(folder, ports, CADDY, ['run', '--adapter', 'caddyfile', '--config', path]);
}

/** Renders the Caddyfile: the lock with the owner's lines in its place, over plain HTTP on the test's port. */
function caddyfile(folder: string, port: number, { lock, block }: CaddySite): string {
  const owner = `root * ${folder}/site\n${block}`;
  const unlocked = `${SITE} {\n${owner}\n}\n`;
  const place = /^\t\t# Дальше.*$/m;
  if (lock !== undefined && !place.test(lock))
    throw new Error('the lock for Caddy has no place for the rest');
  const text = lock === undefined ? unlocked : lock.replace(place, () => owner);
  return `{
  admin off
  auto_https off
}
${text.replace(`${SITE} {`, `http://${SITE}:${port} {\nbind 127.0.0.1 [::1] [::ffff:127.0.0.2]`)}`;
}
