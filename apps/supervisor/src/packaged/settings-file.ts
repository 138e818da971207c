import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { fileActions, packagedPhrases } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';

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
  const text = readSettingsFile(path);
  const cut = ambiguous.exec(text)?.[1];
  if (cut !== undefined) throw new StartError(packagedPhrases.quoteValue(path, cut));
  const settings = parseEnv(text);
  const foreign = fixed.find((name) => settings[name] && settings[name] !== env[name]);
  if (foreign !== undefined) throw new StartError(packagedPhrases.fixedSetting(path, foreign));
  return { ...settings, ...env };
}

/** @throws StartError */
export function readSettingsFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw startErrorFrom(error, fileActions.read(path));
  }
}
