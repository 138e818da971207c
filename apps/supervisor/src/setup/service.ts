import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { ask } from '@propusk/api/state/network-checks';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { setupPhrases } from '@propusk/phrases/setup';
import { say } from '../command.ts';
import type { Dns } from './network.ts';

/**
 * Runs a program and returns its output.
 * @throws StartError when it fails; its errors are on standard error
 */
function run(program: string, ...args: readonly string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  } catch {
    throw new StartError(setupPhrases.failed([program, ...args].join(' ')));
  }
}

/** Runs the packaged command, which leaves root before it touches the data. */
const propusk = (...args: readonly string[]) => run(process.env.PROPUSK_COMMAND ?? 'propusk', ...args);

/**
 * Lets the service listen on ports below 1024 while its settings need them, by a drop-in of systemd. @param settings the file's text
 * @param folder of systemd's units
 * @returns whether the drop-in changed
 */
export function grantPorts(settings: string, folder: string): boolean {
  const { TLS = 'off', HTTPS_PORT = '443', HTTP_PORT = '80' } = parseEnv(settings);
  const needed = TLS !== 'off' && Math.min(Number(HTTPS_PORT), Number(HTTP_PORT)) < 1024;
  const path = join(folder, 'propusk.service.d', 'ports.conf');
  if (needed === existsSync(path)) return false;
  if (!needed) rmSync(path);
  else {
    mkdirSync(dirname(path), { recursive: true });
    const rights = ['CapabilityBoundingSet', 'AmbientCapabilities'].map(
      (name) => `${name}=CAP_NET_BIND_SERVICE\n`,
    );
    writeFileSync(path, `[Service]\n${rights.join('')}`);
  }
  return true;
}

/** Starts the product, and again when its settings have changed. @param settings the file's text @throws StartError */
export function startService(settings: string, isChanged: boolean): void {
  say(setupPhrases.starting());
  const units = process.env.PROPUSK_UNITS ?? '/etc/systemd/system';
  if (grantPorts(settings, units)) run('systemctl', 'daemon-reload');
  run('systemctl', isChanged ? 'restart' : 'start', 'propusk.service');
  if (isChanged) run('systemctl', 'reload-or-restart', 'propusk-gateway.service');
}

/** Waits until a URL answers 200, over a valid certificate if it is https. @returns the last status or error; null for 200 */
export async function lastFault(
  url: string,
  { dns, waitMs }: { dns: Dns; waitMs: number },
): Promise<string | null> {
  // Node asks for all addresses (`autoSelectFamily`).
  const lookup: LookupFunction = (name, _, done) =>
    void dns(name).then((found) => {
      const addresses = found.map((address) => ({ address, family: isIP(address) }));
      done(found.length > 0 ? null : Object.assign(new Error(name), { code: 'ENOTFOUND' }), addresses);
    });
  const until = Date.now() + waitMs;
  for (;;) {
    const fault = await ask(url, { lookup }, ({ statusCode }) =>
      statusCode === 200 ? null : `HTTP ${statusCode}`,
    ).catch((error) => error.code ?? String(error));
    if (fault === null || Date.now() >= until) return fault;
    await sleep(500);
  }
}

/** Makes and prints the first links, and with them the passphrase of backups. @throws StartError */
export function printFirstLinks({
  mail,
  owner,
  invite,
}: {
  mail: string;
  owner: string;
  invite: boolean;
}): void {
  const links = propusk('first-links', mail, owner, ...(invite ? ['again'] : []));
  run('systemctl', 'enable', '--now', 'propusk-backup.timer');
  if (links === '') return say(setupPhrases.linksMadeBefore());
  say(links);
  say(setupPhrases.passphrase(propusk('passphrase').trim()));
}
