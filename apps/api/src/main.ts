import { gatewayKeys } from '@propusk/access/gateway-secret';
import { SettingError } from '@propusk/contract/settings';
import { apiStartFaults } from '@propusk/phrases/api-start';
import { apiSettingRefusals } from '@propusk/phrases/settings';
import { serveTls } from './certificates/serve.ts';
import { readConfig } from './config.ts';
import { checkKey } from './db/key-check.ts';
import { DatabaseUnfit, migrate } from './db/migrate.ts';
import { openDb } from './db/open.ts';
import { startReaper } from './db/reaper.ts';
import { createEncryption } from './encryption.ts';
import { isAway } from './http/error-reply.ts';
import { createMetrics, serveMetrics } from './http/metrics.ts';
import { createPasswords, ofProcess } from './identity/passwords.ts';
import { ensureAdmin } from './identity/store.ts';
import { createLog } from './log.ts';
import { bindPasswords, ensureDirectProxy } from './proxies/store.ts';
import { startRecordKeeper } from './records/keeper.ts';
import { createServer } from './server.ts';
import { startLifting } from './users/suspension-store.ts';

/** Runs the api process: reads the settings, migrates the database and listens. A failed start writes one line to stderr. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const { databaseUrl, secretKey, gatewaySecret } = config;
  if (databaseUrl === undefined || secretKey === undefined || gatewaySecret === undefined) {
    throw new SettingError(apiSettingRefusals.apiSecretsMissing());
  }
  const logger = createLog(config.logLevel);
  const opened = openDb(databaseUrl);
  const secrets = createEncryption(secretKey);
  await migrate(opened.db);
  await checkKey(opened.db, secrets);
  await ensureDirectProxy(opened.db, config.gatewayUrl);
  await bindPasswords(opened.db, secrets);
  const passwords = createPasswords();
  const { admin } = config;
  if (admin !== null)
    await ensureAdmin(opened.db, admin.email, () => passwords.hash(admin.password, ofProcess));

  const metrics = createMetrics();
  const app = await createServer({
    config,
    env: process.env,
    opened,
    encryption: secrets,
    passwords,
    gatewayKeys: gatewayKeys(gatewaySecret),
    logger,
    metrics,
    reserveFile: config.reserveFile,
    runsProbes: true,
  });
  const reaper = startReaper({ db: opened.db, log: logger, auditMonths: config.auditMonths });
  const lifting = startLifting({ db: opened.db, log: logger });
  const recordKeeper = startRecordKeeper({ db: opened.db, log: logger, days: config.logDays });
  await app.listen({ host: config.host, port: config.port });
  const { tls, publicUrl, sockets } = config;
  const tlsParts = { publicUrl, sockets, db: opened.db, log: logger, metrics };
  const tlsSide = tls && (await serveTls(app, { tls, ...tlsParts }));
  if (config.metricsPort !== undefined) await serveMetrics(metrics, config.metricsPort);
  process.send?.({ type: 'listening' });

  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    await app.drain(config.stopDelayMs);
    // A client that never finishes its request must not delay the shutdown further.
    setTimeout(() => process.exit(0), 5_000).unref();
    await Promise.all([app.close(), tlsSide?.close()]);
    await Promise.all([reaper.close(), recordKeeper.close(), lifting.close()]);
    await opened.close();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The IPC channel closes when the supervisor dies. Nothing else would end this process then.
  process.on('disconnect', stop);
}

/** Returns one line for an error that the operator can fix, and the stack of any other error. */
function explain(error: unknown): string {
  if (error instanceof SettingError || error instanceof DatabaseUnfit) return error.message;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  const { HTTPS_PORT = 443, HTTP_PORT = 80, PORT = 3000 } = process.env;
  const [setting, port] = Object.entries({ HTTPS_PORT, HTTP_PORT }).find(
    ([, each]) => 'port' in error && Number(each) === error.port,
  ) ?? ['PORT', PORT];
  if (code === 'EADDRINUSE') return apiStartFaults.portTaken(port, setting);
  const host = process.env.HOST ?? '127.0.0.1';
  if (code === 'EACCES') return apiStartFaults.portRefused(port, setting);
  const unknownHost = 'hostname' in error && error.hostname === host;
  if (code === 'EADDRNOTAVAIL' || unknownHost) {
    return apiStartFaults.unknownHost(host);
  }
  if (isAway(error)) return apiStartFaults.databaseAway(error.message);
  if (typeof code === 'string' && /^(28|3D)/.test(code)) return apiStartFaults.databaseRefuses(error.message);
  return error.stack ?? error.message;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
