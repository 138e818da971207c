import { setTimeout as sleep } from 'node:timers/promises';
import { tryIssue } from '@propusk/api/certificates/issue';
import { secondsAhead } from '@propusk/api/state/clock';
import { StartError } from '@propusk/embedded-postgres/start-error';
import { setupPhrases } from '@propusk/phrases/setup';
import { say } from '../command.ts';
import { publicAddresses, strangerOn } from './machine.ts';
import { type Dns, namesThatMissHttp01 } from './network.ts';
import type { TlsMode } from './options.ts';
import type { Ports } from './wanted.ts';

const PAUSE_MS = 5_000;
/** A CA accepts more; codes of a second factor do not (RFC 6238 section 6). */
const CLOCK_OFF_S = 30;
const DIRECTORY = 'https://acme-v02.api.letsencrypt.org/directory';
/** Failures there count against no limit of the real one. */
const STAGING = 'https://acme-staging-v02.api.letsencrypt.org/directory';

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
    const found = await Promise.all(names.map((name) => dns.addressesOf(name)));
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
 * @param nginxConf the configuration to name when nginx has a port of the console
 * @returns the mode: `off` when nginx has a port of the console and the operator asked for no other mode
 * @throws StartError when another program listens there
 */
export function checkPorts(
  wanted: TlsMode | undefined,
  { http, https, gateway }: Ports,
  nginxConf: string,
): TlsMode {
  const foreign = (port: number) => {
    const stranger = strangerOn(port);
    return stranger === null ? [] : [{ port, ...stranger }];
  };
  const onConsole = wanted === 'off' ? [] : [http, https].flatMap(foreign);
  const isBehind =
    wanted === undefined && onConsole.length > 0 && onConsole.every(({ name }) => name === 'nginx');
  const [taken] = [...(isBehind ? [] : onConsole), ...foreign(gateway)];
  if (taken !== undefined) throw new StartError(setupPhrases.portTaken(taken.port, taken.name));
  if (!isBehind) return wanted ?? 'auto';
  say(setupPhrases.behindNginx(onConsole[0]?.port ?? 0, nginxConf));
  return 'off';
}

/** Checks the clock, and that HTTP-01 reaches this machine: from here, then from the CA's staging directory. @throws StartError */
export async function checkIssuing(
  dns: Dns,
  names: readonly string[],
  {
    directory = DIRECTORY,
    httpPort,
    mail,
  }: { directory: string | undefined; httpPort: number; mail: string },
): Promise<void> {
  const ahead = await secondsAhead(directory, AbortSignal.timeout(10_000)).catch(
    (error: NodeJS.ErrnoException) => {
      throw new StartError(setupPhrases.caSilent(directory, error.code ?? error.message));
    },
  );
  if (Math.abs(ahead) > CLOCK_OFF_S) throw new StartError(setupPhrases.clockOff(ahead));
  const missing = await namesThatMissHttp01(names, httpPort, dns);
  if (missing.length > 0) throw new StartError(setupPhrases.missesHttp01(missing, httpPort));
  if (directory !== DIRECTORY) return;
  await tryIssue({ directory: STAGING, mail }, names, httpPort).catch((error: NodeJS.ErrnoException) => {
    // The product listens there already: it asks the CA by itself.
    if (error.code !== 'EADDRINUSE') throw new StartError(setupPhrases.caRefuses(error.message));
  });
}
