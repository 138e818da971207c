import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { setupPhrases } from '@propusk/phrases/setup';
import { say } from '../command.ts';
import { type Dns, faultOf } from './network.ts';

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

/** Starts the product, and again when its settings have changed. @throws StartError */
export function startService(isChanged: boolean): void {
  say(setupPhrases.starting());
  run('systemctl', isChanged ? 'restart' : 'start', 'propusk.service');
}

/** Waits until a URL is healthy. @returns the last fault; null when it is healthy */
export async function lastFault(
  url: string,
  { dns, waitMs }: { dns: Pick<Dns, 'lookup'>; waitMs: number },
): Promise<string | null> {
  const until = Date.now() + waitMs;
  for (;;) {
    const fault = await faultOf(url, dns);
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
