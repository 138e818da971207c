import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { apiSettings } from '@propusk/api/config';
import { StartError, startErrorFrom } from '@propusk/embedded-postgres/start-error';
import { gatewaySettings } from '@propusk/gateway/config';
import { fileActions, packagedPhrases } from '@propusk/phrases/launcher';

/** The package fixes these, because its units grant access to these paths only. */
const fixed = ['DATA_DIR', 'BACKUP_PASSPHRASE'];

/** An unquoted value with `#`: systemd keeps the rest of the line, Node's parser cuts it off. */
const ambiguous = /^\s*(?:export\s+)?([\w.]+)\s*=[^\S\n]*(?!["'`])[^\n]*?#/m;

/**
 * Reads a settings file: NAME=value a line, `#` begins a comment line, quotes around a value are optional. A variable of
 * `env` precedes the file.
 * @param path the file; it may be absent
 * @returns `env` with the settings of the file
 * @throws StartError when the file is unreadable, changes a name that the package fixes, or has a value with an unquoted `#`
 */
export function withSettings(path: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!existsSync(path)) return { ...env };
  const text = read(path);
  const cut = ambiguous.exec(text)?.[1];
  if (cut !== undefined) throw new StartError(packagedPhrases.quoteValue(path, cut));
  const settings = parseEnv(text);
  const foreign = fixed.find((name) => settings[name] && settings[name] !== env[name]);
  if (foreign !== undefined) throw new StartError(packagedPhrases.fixedSetting(path, foreign));
  return { ...settings, ...env };
}

/** Names of the runtime and of TLS, which every process reads. */
const ofRuntime = /^(NODE_\w+|LANG|LC_\w+|TZ|SSL_CERT_(FILE|DIR)|(HTTPS?|NO)_PROXY)$/i;
/** Names of the backups and of the database's client. */
const ofServer = /^(BACKUP_DAYS|BACKUP_PASSPHRASE|PG\w+)$/i;

/** @returns the names in a settings file that no setting has, such as misspelled ones */
export function unknownSettings(path: string): string[] {
  if (!existsSync(path)) return [];
  const known = new Set(Object.keys({ ...apiSettings, ...gatewaySettings }));
  return Object.keys(parseEnv(read(path))).filter(
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

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw startErrorFrom(error, fileActions.read(path));
  }
}
