import { existsSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { apiSettings } from '@propusk/api/config';
import { gatewaySettings } from '@propusk/gateway/config';
import { packagedPhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { readSettingsFile } from './settings-file.ts';

/** What a settings file may name. Apart from reading the file: the keeper of a gateway needs no list of settings. */

/** Names of the runtime and of TLS, which every process reads. */
const ofRuntime = /^(NODE_\w+|LANG|LC_\w+|TZ|SSL_CERT_(FILE|DIR)|(HTTPS?|NO)_PROXY)$/i;
/** Names of the backups and of the database's client. */
const ofServer = /^(BACKUP_DAYS|BACKUP_PASSPHRASE|PG\w+)$/i;

/** @returns the names in a settings file that no setting has, such as misspelled ones */
export function unknownSettings(path: string): string[] {
  if (!existsSync(path)) return [];
  const known = new Set(Object.keys({ ...apiSettings, ...gatewaySettings }));
  return Object.keys(parseEnv(readSettingsFile(path))).filter(
    (name) => !known.has(name) && !ofRuntime.test(name) && !ofServer.test(name),
  );
}

/**
 * The text of a settings file for the gateway's own user: of `env`, only what a gateway reads. DATA_DIR is its unit's.
 * @throws StartError for a value that no quotes can hold
 */
export function gatewayFile(env: NodeJS.ProcessEnv): string {
  const wanted = ([name]: [string, unknown]) =>
    name !== 'DATA_DIR' && (name in gatewaySettings || ofRuntime.test(name));
  return Object.entries(env)
    .filter(wanted)
    .map(([name, value = '']) => {
      const quote = ["'", '`', '"'].find((mark) => !value.includes(mark));
      if (quote === undefined) throw new StartError(packagedPhrases.allQuotes(name));
      return `${name}=${quote}${value}${quote}\n`;
    })
    .join('');
}
