import { readConfig } from '@propusk/api/config';
import { runCommand } from '../command.ts';
import { gatewayEnvironment } from '../gateway-environment.ts';
import { readGatewaySecret } from '../secrets.ts';
import { gatewayFile } from './known-settings.ts';

/**
 * Prints the settings of the gateway beside this api, with GATEWAY_SECRET, as a settings file. /usr/bin/propusk writes it where
 * the user propusk-gateway reads it: that user may read neither propusk.env nor the data folder.
 */
await runCommand(async () => {
  const config = readConfig(process.env);
  const secret = await readGatewaySecret(config.dataDir, process.env);
  process.stdout.write(gatewayFile(gatewayEnvironment(process.env, config, secret)));
  return 0;
});
