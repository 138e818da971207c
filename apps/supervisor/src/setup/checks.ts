import { setTimeout as sleep } from 'node:timers/promises';
import { tryIssue } from '@propusk/api/certificates/issue';
import type { TlsConfig } from '@propusk/api/certificates/settings';
import { checkClock } from '@propusk/api/state/machine-checks';
import { setupPhrases } from '@propusk/phrases/setup';
import { sayState } from '@propusk/phrases/state';
import { StartError } from '@propusk/processes/start-error';
import { say } from '../command.ts';
import { type Dns, publicAddresses, strangerOn } from './network.ts';
import type { TlsMode } from './options.ts';
import type { Ports } from './wanted.ts';

const PAUSE_MS = 5_000;
const CLOCK_MS = 10_000;

/** Waits until every DNS record of the names leads to this machine. @throws StartError when time is over */
export async function checkDns(
  dns: Dns,
  names: readonly string[],
  { address, waitMs }: { address: readonly string[]; waitMs: number },
): Promise<void> {
  const own = address.length > 0 ? address : publicAddresses();
  if (own.length === 0) return say(setupPhrases.noPublicAddress());
  const until = Date.now() + waitMs;
  for (let said = ''; ; await sleep(Math.min(PAUSE_MS, waitMs))) {
    const found = await Promise.all(names.map((name) => dns(name)));
    const isRight = found.map((list) => list.length > 0 && list.every((each) => own.includes(each)));
    const lines = names.map((name, at) =>
      isRight[at]
        ? setupPhrases.dnsRight(name, found[at] ?? [])
        : setupPhrases.waitsForDns(name, found[at] ?? [], own),
    );
    if (lines.join('\n') !== said) lines.forEach(say);
    said = lines.join('\n');
    if (!isRight.includes(false)) return;
    if (Date.now() >= until)
      throw new StartError(setupPhrases.dnsWrong(names.filter((_, at) => !isRight[at])));
  }
}

/**
 * Checks the ports of the console and the gateway.
 * @param wanted the mode that the operator asked for
 * @param nginxConf the nginx configuration that the message names when nginx uses a port of the console; `settings` is the settings file
 * @returns the mode: `off` when nginx uses a port of the console and the operator asked for no other mode
 * @throws StartError when another program listens on one of the ports
 */
export function checkPorts(
  wanted: TlsMode | undefined,
  { http, https, gateway, api }: Ports & { readonly api: number },
  { nginxConf, settings }: { nginxConf: string; settings: string },
): TlsMode {
  const foreign = (ofSettings: Readonly<Record<string, number>>) =>
    Object.entries(ofSettings).flatMap(([setting, port]) => {
      const stranger = strangerOn(port);
      return stranger === null ? [] : [{ port, setting, ...stranger }];
    });
  const onConsole = wanted === 'off' ? [] : foreign({ HTTP_PORT: http, HTTPS_PORT: https });
  const isBehind =
    wanted === undefined && onConsole.length > 0 && onConsole.every(({ name }) => name === 'nginx');
  const [taken] = [...(isBehind ? [] : onConsole), ...foreign({ GATEWAY_PORT: gateway, PORT: api })];
  if (taken !== undefined)
    throw new StartError(setupPhrases.portTaken(taken.port, taken.name, taken.setting, settings));
  if (!isBehind) return wanted ?? 'auto';
  say(setupPhrases.behindNginx(onConsole[0]?.port ?? 0, nginxConf));
  return 'off';
}

/** Checks the clock, and that HTTP-01 of the CA reaches this machine by every name. @throws StartError */
export async function checkIssuing(
  { authority, orders }: NonNullable<TlsConfig['acme']>,
  httpPort: number,
): Promise<void> {
  const signal = AbortSignal.timeout(CLOCK_MS);
  const [clock] = await checkClock({ env: { ACME_DIRECTORY: authority.directory }, signal });
  if (clock !== undefined && clock.level !== 'ok')
    throw new StartError(setupPhrases.stopped(sayState(clock)));
  // Failures at Let's Encrypt's staging directory count against no limit.
  const directory = authority.directory.replace('acme-v02', 'acme-staging-v02');
  const names = orders.map(({ name }) => name);
  await tryIssue({ ...authority, directory }, names, httpPort).catch((error: NodeJS.ErrnoException) => {
    // The product listens there already: it asks the CA by itself.
    if (error.code !== 'EADDRINUSE') throw new StartError(setupPhrases.caRefuses(error.message));
  });
}
