import { lookup as resolve } from 'node:dns/promises';
import { rmSync, writeFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '@propusk/api/config';
import { ask, checkConsole } from '@propusk/api/state/network-checks';
import { readConfig as readGatewayConfig } from '@propusk/gateway/config';
import { setupPhrases } from '@propusk/phrases/setup';
import { sayState } from '@propusk/phrases/state';
import { StartError } from '@propusk/processes/start-error';
import { explain, say } from '../command.ts';
import { gatewayEnvironment } from '../gateway-environment.ts';
import { isActive, isOutdated, lastComplaint, type Part, startGateway, startService } from './service.ts';
import { previousOf, readIfThere, replaceFile } from './settings-edit.ts';

const PAUSE_MS = 500;
/** Each reload starts a process of the gateway. */
const RELOAD_PAUSE_MS = 5_000;

/** The interval, in milliseconds, at which an unchanged fault is printed again. */
const REPEAT_MS = 30_000;

/** A listener that must answer: its public URL, and its address on this machine. */
interface Listener {
  readonly url: string;
  readonly address: string;
  readonly path: string;
  readonly status: number;
  /** The console's URL without TLS. */
  readonly localUrl?: string;
}

/** @throws SettingError for settings with which console or gateway would not start */
export async function listenersOf(env: NodeJS.ProcessEnv): Promise<Record<Part, Listener>> {
  const config = readConfig(env);
  const { localUrl, publicUrl, gatewayUrl, tls } = config;
  const secret = env.GATEWAY_SECRET || '-'.repeat(32);
  const gateway = readGatewayConfig(gatewayEnvironment(env, config, secret));
  const { address } = await resolve(gateway.host.replace(/^(0\.0\.0\.0|::)$/, '127.0.0.1'));
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return {
    console: {
      ...{ path: '/api/health', status: 200, address: '127.0.0.1', localUrl },
      url: tls === undefined ? localUrl : `https://${publicUrl.hostname}:${tls.httpsPort}`,
    },
    gateway: {
      ...{ path: 'http://propusk.invalid/', status: 407, address },
      url: `${gateway.tls === undefined ? `http://${host}` : `https://${gatewayUrl.hostname}`}:${gateway.port}`,
    },
  };
}

/** Requests the URL at the given address: behind network address translation the name leads elsewhere. @returns the fault; null for none */
export async function faultOf({ url, address, path, status, localUrl }: Listener): Promise<string | null> {
  // Another program may listen on the port of the console.
  const [found] = localUrl === undefined ? [] : await checkConsole({ config: { localUrl } as never });
  if (found !== undefined && found.level !== 'ok') return sayState(found).text;
  const family = isIP(address);
  // Node asks for all addresses, unless the local one is given.
  const lookup: LookupFunction = (_name, { all }, done) =>
    all ? done(null, [{ address, family }]) : done(null, address, family);
  // GATEWAY_PROXY_PROTOCOL may name 127.0.0.1, which then has to send a header.
  const from = address === '127.0.0.1' ? { localAddress: '127.0.0.2' } : {};
  return ask(url, { lookup, path, ...from }, ({ statusCode }) =>
    statusCode === status ? null : `HTTP ${statusCode}`,
  ).catch((error) => error.code ?? String(error));
}

/**
 * Writes the settings, starts both services with them, and waits until both answer with a valid certificate.
 * @throws StartError with the last fault in the journal. The previous settings are then restored, and restarted services use them
 */
export async function applySettings(
  { path, before, after }: { path: string; before: string; after: string },
  listeners: Record<Part, Listener>,
  waitMs: number,
): Promise<void> {
  const isChanged = after !== before;
  const older = readIfThere(previousOf(path));
  const ran = { console: isActive('console'), gateway: isActive('gateway') };
  const since = Date.now();
  let until = since + waitMs;
  /** Whether the gateway may already use the new settings. */
  let isTaken = false;
  const interrupt = () => void (until = 0);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupt);

  /**
   * Waits until a service answers with a valid certificate.
   * @param failed runs the preceding step and returns its error; null for none. A failed step is repeated, because the gateway refuses a
   * reload without a certificate
   */
  async function answers(part: Part, failed: () => string | null): Promise<void> {
    const { url } = listeners[part];
    for (let [said, failure] = ['', failed()]; ; failure &&= failed()) {
      const fault = failure ?? (await faultOf(listeners[part]));
      if (fault === null) return say(setupPhrases.healthy(url));
      const line = setupPhrases.notAnswering(url, fault, lastComplaint(part, since));
      // A certificate of an untrusted CA stays untrusted, so waiting is useless.
      if (Date.now() >= until || /SELF_SIGNED|UNABLE_TO/.test(fault)) throw new StartError(line);
      const next = `${line} ${Math.floor((Date.now() - since) / REPEAT_MS)}`;
      if (next !== said) say(setupPhrases.waits(line));
      said = next;
      const pauseMs = failure === null ? PAUSE_MS : RELOAD_PAUSE_MS;
      await sleep(Math.min(pauseMs, Math.max(0, until - Date.now())));
    }
  }
  try {
    if (isChanged) replaceFile(path, after);
    startService(after, isChanged || isOutdated(path) ? 'restart' : 'start');
    await answers('console', () => null);
    await answers('gateway', () => {
      isTaken = true;
      return attempt(() => startGateway(before, after));
    });
  } catch (error) {
    if (!isChanged) throw error;
    replaceFile(path, before);
    if (older === '') rmSync(previousOf(path));
    else writeFileSync(previousOf(path), older);
    const failure =
      attempt(() => startService(before, ran.console ? 'restart' : 'stop')) ??
      (ran.gateway && !isTaken ? null : attempt(() => startGateway(after, ran.gateway ? before : null)));
    throw new StartError(setupPhrases.restored(explain(error), path, failure));
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupt);
  }
}

/** @returns what failed; null for nothing */
function attempt(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return explain(error);
  }
}
