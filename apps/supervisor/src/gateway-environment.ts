import { availableParallelism } from 'node:os';
import type { Config } from '@propusk/api/config';

/** Names of the settings that a gateway must not know. BACKUP_PASSPHRASE is for the backup commands alone. */
const secret = [
  'DATABASE_URL',
  'SECRET_KEY',
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD',
  'SMTP_URL',
  'BACKUP_PASSPHRASE',
];

/**
 * The settings of a gateway beside the api of `config`, without the secrets of the api.
 * @param env the settings of the product
 * @param config the same settings, read
 */
export function gatewayEnvironment(
  env: NodeJS.ProcessEnv,
  config: Config,
  gatewaySecret: string,
): NodeJS.ProcessEnv {
  const files = config.tls?.gateway;
  const settings: NodeJS.ProcessEnv = {
    API_URL: config.localUrl,
    CONSOLE_URL: config.publicUrl.origin,
    // Database and api use the other half of the cores.
    GATEWAY_PROCESSES: String(Math.max(1, Math.floor(availableParallelism() / 2))),
    ...env,
    // The api gets this certificate and renews it.
    ...(files && !env.GATEWAY_TLS_CERT && { GATEWAY_TLS_CERT: files.cert, GATEWAY_TLS_KEY: files.key }),
    GATEWAY_SECRET: gatewaySecret,
    GATEWAY_OWN_PORTS: [...config.ownPorts].join(','),
  };
  for (const name of secret) delete settings[name];
  return settings;
}
