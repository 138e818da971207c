import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { setupPhrases } from '@propusk/phrases/setup';
import { StartError } from '@propusk/processes/start-error';
import { say } from '../command.ts';

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

const services = { console: 'propusk.service', gateway: 'propusk-gateway.service' };
export type Part = keyof typeof services;

/** Starts or stops database, api and console. @param settings the file's text @throws StartError */
export function startService(settings: string, verb: 'start' | 'restart' | 'stop'): void {
  if (verb !== 'stop') say(setupPhrases.starting());
  const units = process.env.PROPUSK_UNITS ?? '/etc/systemd/system';
  if (grantPorts(settings, units)) run('systemctl', 'daemon-reload');
  run('systemctl', verb, services.console);
}

/**
 * Starts the gateway, or reloads a running one. A new GATEWAY_HOST needs a restart: the keeper process holds the former listening socket
 * (docs/architecture.md), and a wildcard and an address exclude each other on one port.
 * @param after the new text of the settings file; null stops the gateway
 * @throws StartError
 */
export function startGateway(before: string, after: string | null): void {
  const isMoved = parseEnv(before).GATEWAY_HOST !== parseEnv(after ?? '').GATEWAY_HOST;
  const verb = after === null ? 'stop' : isMoved ? 'restart' : 'reload-or-restart';
  run('systemctl', verb, services.gateway);
}

export const isActive = (part: Part): boolean =>
  spawnSync('systemctl', ['--quiet', 'is-active', services[part]]).status === 0;

/** Whether the settings file is newer than the running console. */
export function isOutdated(path: string): boolean {
  const args = ['show', '--timestamp=unix', '-PActiveEnterTimestamp', services.console];
  const { stdout } = spawnSync('systemctl', args, { encoding: 'utf8' });
  const seconds = Number(/^@(\d+)/.exec(stdout)?.[1] ?? Infinity);
  return existsSync(path) && Math.floor(statSync(path).mtimeMs / 1_000) > seconds;
}

/** Finds the last error that a service logged. @param since in milliseconds since 1970 @returns an empty text when there is none */
export function lastComplaint(part: Part, since: number): string {
  // The services write to standard output; other lines are systemd's own.
  const from = `--since=@${Math.floor(since / 1_000)}`;
  const args = ['-qocat', '-n200', from, '-u', services[part], '_TRANSPORT=stdout'];
  const lines = (spawnSync('journalctl', args, { encoding: 'utf8' }).stdout ?? '').trim().split('\n');
  const logged = lines.filter((line) => /^\{.*\}$/.test(line)).map((line) => JSON.parse(line));
  const error = logged.findLast(({ level }) => level >= 50);
  if (error !== undefined) return error.fault ?? error.err?.message ?? error.msg;
  return lines.findLast((line) => !line.startsWith('{')) ?? '';
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
  // The links are created only once, so print them before a later step can fail.
  say(links || setupPhrases.linksMadeBefore());
  if (links !== '') say(setupPhrases.passphrase(propusk('passphrase').trim()));
  run('systemctl', 'enable', '--now', 'propusk-backup.timer');
}
