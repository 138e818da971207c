import { fileURLToPath } from 'node:url';
import { readConfig } from '@propusk/api/config';
import { packagedPhrases } from '@propusk/phrases/launcher';
import { runCommand, say } from '../command.ts';
import { gatewayEnvironment } from '../gateway-environment.ts';
import { readGatewaySecret } from '../secrets.ts';
import { rotate } from './daily-backups.ts';
import { gatewayFile, unknownSettings } from './known-settings.ts';
import { withSettings } from './settings-file.ts';

/** The module of each command of /usr/bin/propusk, and the arguments before those of the user. */
const modules: Readonly<Record<string, readonly [path: string, ...args: string[]]>> = {
  start: ['../main.ts'],
  serve: ['../main.ts', 'serve'],
  answers: ['./answers.ts'],
  api: ['../api.ts'],
  gateway: ['../gateway.ts'],
  backup: ['../backup/backup-command.ts'],
  restore: ['../backup/restore-command.ts'],
  trial: ['../backup/trial-command.ts'],
  sites: ['./database-command.ts', 'sites'],
  mail: ['./database-command.ts', 'mail'],
  admin: ['./database-command.ts', 'admin'],
  'first-links': ['./database-command.ts', 'first-links'],
  doctor: ['./doctor.ts'],
};

const services = new Set(['start', 'serve', 'api', 'gateway']);

/**
 * The command `propusk` of the Debian package, after /usr/bin/propusk has chosen the user and the paths:
 * `packaged-command.ts SETTINGS COMMAND [FILE]`. It replaces itself with the command under the settings of the file. A new
 * image of the process is needed: Node reads NODE_EXTRA_CA_CERTS only at its start, and forked children inherit no option
 * that would let the gateway read the file.
 */
const [settings = '', command = '', ...args] = process.argv.slice(2);
await runCommand(async () => {
  const env = withSettings(settings, process.env);
  const unknown = unknownSettings(settings);
  // The checks of the server's state show them too.
  env.UNKNOWN_SETTINGS = unknown.join();
  if (unknown.length > 0 && services.has(command))
    process.stderr.write(`${packagedPhrases.unknownSettings(settings, unknown)}\n`);
  const [module, ...first] = modules[command] ?? [];
  if (module !== undefined) {
    const script = fileURLToPath(new URL(module, import.meta.url));
    // The keeper of a gateway reads the file itself, again at every reload.
    const keeps = command === 'gateway';
    const all = [process.execPath, script, ...(keeps ? [settings] : first), ...args];
    process.execve?.(process.execPath, all, keeps ? process.env : env);
  }
  if (command === 'gateway-settings') {
    // The user propusk-gateway may read neither propusk.env nor the data folder.
    const config = readConfig(env);
    const secret = await readGatewaySecret(config.dataDir, env);
    process.stdout.write(gatewayFile(gatewayEnvironment(env, config, secret)));
  } else {
    // `rotate FOLDER`, after a daily backup.
    for (const name of rotate(args[0] ?? '', env)) say(name);
  }
});
