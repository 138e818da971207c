import { once } from 'node:events';
import { createServer } from 'node:net';
import type { TlsFiles } from '@propusk/certificate/certificate-files';
import { waitForCertificate } from '@propusk/certificate/certificate-wait';
import { SettingError } from '@propusk/contract/settings';
import { startErrors, startWarnings } from '@propusk/phrases/gateway';
import { createCluster } from './cluster/primary.ts';
import { type Config, readConfig, unreachableUrl } from './config.ts';
import { slotsOf, socketOf, type ToGateway } from './generation.ts';
import { createLog } from './log.ts';
import { createGateway, type Gateway } from './server.ts';

/**
 * The gateway's process. Under a supervisor it sends `{type: 'listening', port}` over IPC, or `{type: 'waiting'}` before it while
 * it has no certificate, and ends when the IPC channel closes.
 * It also ends on SIGINT and SIGTERM. Under a keeper other processes may go before it and follow it (generation.ts). With GATEWAY_PROCESSES above 1 it is the primary of that many workers.
 */

/** The most time for connections of a process that another one follows. */
const DRAIN_MOST_MS = 3_600_000;

/** Ends the process with one line on stderr. */
function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

function settings(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof SettingError) fail(error.message);
    throw error;
  }
}

/** The sentence for a listener that cannot start, naming the setting to change; null for other errors. */
function listenFault(error: unknown, { host, port, metricsPort }: Config): string | null {
  const ofMetrics =
    error instanceof Error && 'port' in error && metricsPort !== undefined && error.port === metricsPort;
  if (ofMetrics && metricsPort !== port) {
    return startErrors.metricsPort(metricsPort);
  }
  switch (error instanceof Error && 'code' in error ? error.code : '') {
    case 'EADDRINUSE':
      return startErrors.portTaken(port, host);
    case 'EACCES':
      return startErrors.portForbidden(port);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return startErrors.notLocal(host, 'GATEWAY_HOST');
    default:
      return null;
  }
}

/** Stops the start when an egress address is not local: otherwise every request would fail. */
async function checkEgress({ egress }: Config): Promise<void> {
  for (const address of [egress.v4, egress.v6]) {
    if (address === undefined) continue;
    const probe = createServer().listen(0, address);
    try {
      await once(probe, 'listening');
    } catch {
      fail(startErrors.notLocal(address, 'GATEWAY_EGRESS'));
    }
    probe.close();
  }
}

/** Waits for the certificate. The supervisor's start goes on: the console must not end with the gateway's certificate. */
async function certificate(files: TlsFiles): Promise<void> {
  await waitForCertificate(files, (fault) => {
    log.error({ fault }, 'Waiting for the certificate');
    process.send?.({ type: 'waiting' });
  });
}

/** Opens the data folder and creates the gateway. An unreadable folder stops the start. */
async function open(): Promise<Omit<Gateway, 'index' | 'activeRequests' | 'stale'>> {
  try {
    return await (config.processes === 1
      ? createGateway(config, log, slots)
      : createCluster(config, log, slots));
  } catch (error) {
    if (error instanceof SettingError) fail(error.message);
    if (!(error instanceof Error) || !('code' in error)) throw error;
    fail(startErrors.dataDir(config.dataDir, String(error.code)));
  }
}

/** Ends the process when its parent is gone; another way once there are connections to drain. */
let leave: () => unknown = () => process.exit(0);
process.once('disconnect', () => void leave());

const config = settings();
const log = createLog(config.logLevel);
const slots = slotsOf(process.env);
await checkEgress(config);
if (config.tls !== undefined) await certificate(config.tls);
const gateway = await open();

let port: number;
try {
  port = await gateway.listen(() => socketOf(config.host, config.port));
} catch (error) {
  const line = listenFault(error, config);
  if (line === null) throw error;
  fail(line);
}
const unreachable = unreachableUrl(config);
if (unreachable !== null) process.stderr.write(`${startWarnings.localOnly(config.host, unreachable)}\n`);
log.info({ host: config.host, port, metricsPort: gateway.metricsPort() }, 'Listening');

let ending = false;
async function end(why: string): Promise<void> {
  if (ending) return;
  ending = true;
  log.info({ why }, 'Draining');
  // The supervisor waits for this process: end even if the drain hangs.
  setTimeout(() => process.exit(0), 7_000).unref();
  await gateway.close();
  process.exit(0);
}

/** Keeps the open connections for at most an hour. It still follows the feed, so that a revocation ends them within a second. */
async function drain(): Promise<void> {
  log.info('Another process serves new connections');
  setTimeout(() => void end('An hour has passed'), DRAIN_MOST_MS).unref();
  await gateway.drain(() => process.send?.({ type: 'released' }));
  await end('The last connection has closed');
}

async function obey(message: ToGateway): Promise<void> {
  if (message.type === 'drain') await drain();
  else if (message.type === 'own')
    await gateway.own().catch((err) => log.error({ err }, 'Serving without /health and /metrics'));
  else if (message.type === 'ended') gateway.adopt(message.slot);
}

process.on('SIGTERM', () => void end('SIGTERM'));
process.on('SIGINT', () => void end('SIGINT'));
// After a rotation of ACCESS_LOG. Each write looks for the file anew, so there is nothing to do; the default would end the process.
if (config.accessLog !== undefined) process.on('SIGHUP', () => {});
if (process.send !== undefined) {
  leave = () => end('The supervisor is gone');
  process.on('message', (message: ToGateway) => void obey(message));
  process.send({ type: 'listening', port });
}
