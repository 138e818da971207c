import { once } from 'node:events';
import { createServer } from 'node:net';
import { waitForCertificate } from '@propusk/certificate/certificate-wait';
import { SettingError } from '@propusk/contract/settings';
import { startErrors, startWarnings } from '@propusk/phrases/gateway';
import { readConfig, unreachableUrl } from './config.ts';
import { createLog } from './log.ts';
import { slotsOf, socketOf, type ToGateway } from './processes/generation.ts';
import { createWorkers } from './processes/primary.ts';
import { createGateway } from './server.ts';

/**
 * The gateway's process. Under a supervisor it sends `{type: 'listening', port}` over IPC, or `{type: 'waiting'}` before it while
 * it has no certificate, and ends when the IPC channel closes.
 * It also ends on SIGINT and SIGTERM. Under a keeper other processes may go before it and follow it (generation.ts). With GATEWAY_PROCESSES above 1 it is the primary of that many workers.
 */

/** How long a replaced process keeps its connections. A revocation still ends them within a second. */
const DRAIN_MOST_MS = 3_600_000;

/**
 * Runs a step of the start. A failure that the operator can mend ends the process with one line on stderr.
 * @param explain returns that line, or null for other errors; a SettingError has its own line
 */
async function step<T>(
  work: () => T | Promise<T>,
  explain: (error: { code?: string; port?: number }) => string | null = () => null,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const line = error instanceof SettingError ? error.message : explain(error as NodeJS.ErrnoException);
    if (line === null) throw error;
    process.stderr.write(`${line}\n`);
    process.exit(1);
  }
}

/** The sentence for a listener that cannot start, naming the setting to change; null for other errors. */
function listenFault(error: { code?: string; port?: number }): string | null {
  const { host, port, metricsPort } = config;
  const { code = '' } = error;
  if (metricsPort !== undefined && metricsPort !== port && error.port === metricsPort)
    return startErrors.metricsPort(metricsPort);
  switch (code) {
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

/** Ends the process when its parent is gone; another way once there are connections to drain. */
let leave: () => unknown = () => process.exit(0);
process.once('disconnect', () => void leave());

const config = await step(() => readConfig(process.env));
const log = createLog(config.logLevel);
const slots = slotsOf(process.env);
// With an egress address that is not local, every request would fail.
for (const address of [config.egress.v4, config.egress.v6].filter((each) => each !== undefined)) {
  const probe = createServer().listen(0, address);
  await step(
    () => once(probe, 'listening'),
    () => startErrors.notLocal(address, 'GATEWAY_EGRESS'),
  );
  probe.close();
}
// The process waits instead of exiting: the supervisor that started it also starts the console, which a missing certificate of
// the gateway must not stop.
if (config.tls !== undefined)
  await waitForCertificate(config.tls, (fault) => {
    log.error({ fault }, 'Waiting for the certificate');
    process.send?.({ type: 'waiting' });
  });
const gateway = await step(
  () => createGateway(config, log, slots, config.processes === 1 ? undefined : createWorkers),
  ({ code }) => (code === undefined ? null : startErrors.dataDir(config.dataDir, code)),
);
const port = await step(() => gateway.listen(() => socketOf(config.host, config.port)), listenFault);
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

async function obey(message: ToGateway): Promise<void> {
  if (message.type === 'drain') {
    log.info('Another process serves new connections');
    setTimeout(() => void end('An hour has passed'), DRAIN_MOST_MS).unref();
    await gateway.drain(() => process.send?.({ type: 'released' }));
    await end('The last connection has closed');
  } else if (message.type === 'own')
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
