import { fileURLToPath } from 'node:url';
import { packagedPhrases } from '@propusk/phrases/launcher';
import { explain, say } from '../command.ts';
import { rotate } from './daily-backups.ts';
import { unknownSettings } from './known-settings.ts';
import { withSettings } from './settings-file.ts';

/** The module of each command of /usr/bin/propusk. */
const modules: Readonly<Record<string, string>> = {
  start: '../main.ts',
  serve: '../main.ts',
  answers: './answers.ts',
  api: '../api.ts',
  gateway: '../gateway.ts',
  'gateway-settings': './gateway-settings.ts',
  backup: '../backup/backup-command.ts',
  restore: '../backup/restore-command.ts',
  trial: '../backup/trial-command.ts',
  sites: './locked-sites.ts',
  mail: './live-mails.ts',
  doctor: './doctor.ts',
  'first-links': '../setup/first-links-command.ts',
};

const services = new Set(['start', 'serve', 'api', 'gateway']);

/**
 * The command `propusk` of the Debian package, after /usr/bin/propusk has chosen the user and the paths:
 * `packaged-command.ts SETTINGS COMMAND [FILE]`. It replaces itself with the command under the settings of the file. A new
 * image of the process is needed: Node reads NODE_EXTRA_CA_CERTS only at its start, and forked children inherit no option
 * that would let the gateway read the file.
 */
const [settings = '', command = '', ...args] = process.argv.slice(2);
try {
  const env = withSettings(settings, process.env);
  const unknown = unknownSettings(settings);
  // The checks of the server's state show them too.
  env.UNKNOWN_SETTINGS = unknown.join();
  if (unknown.length > 0 && services.has(command))
    process.stderr.write(`${packagedPhrases.unknownSettings(settings, unknown)}\n`);
  const module = modules[command];
  if (module !== undefined) {
    const script = fileURLToPath(new URL(module, import.meta.url));
    // The keeper of a gateway reads the file itself, again at every reload.
    const keeps = command === 'gateway';
    const first = keeps ? [settings] : command === 'serve' ? [command] : [];
    process.execve?.(
      process.execPath,
      [process.execPath, script, ...first, ...args],
      keeps ? process.env : env,
    );
  }
  // `rotate FOLDER`, after a daily backup.
  for (const name of rotate(args[0] ?? '', env)) say(name);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
