import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { setupPhrases } from '@propusk/phrases/setup';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';

type Values = Readonly<Record<string, string | undefined>>;

/**
 * Sets names in the text of a settings file, or removes those whose value is undefined. Comments, order and other lines stay. A new
 * name goes below its commented example, else to the end.
 * @throws StartError when the text cannot be edited by lines, such as one with a value of several lines
 */
export function editSettings(text: string, wanted: Values): string {
  let edited = text;
  for (const [name, value] of Object.entries(wanted)) {
    if (parseEnv(edited)[name] === value) continue;
    const lines = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'gm');
    if (value === undefined) {
      edited = edited.replaceAll(new RegExp(`${lines.source}\\n?`, 'gm'), '');
      continue;
    }
    const line = `${name}=${quote(value)}`;
    // The last line of a name counts.
    const set = [...edited.matchAll(lines)].at(-1);
    const example = set ?? new RegExp(`^#[ \\t]*${name}=.*$`, 'm').exec(edited) ?? undefined;
    if (example === undefined) edited += `${edited === '' || edited.endsWith('\n') ? '' : '\n'}${line}\n`;
    else {
      const kept = set === undefined ? `${example[0]}\n` : '';
      const end = example.index + example[0].length;
      edited = `${edited.slice(0, example.index)}${kept}${line}${edited.slice(end)}`;
    }
  }
  const all = Object.entries({ ...parseEnv(text), ...wanted }).filter(([, value]) => value !== undefined);
  if (!isDeepStrictEqual({ ...parseEnv(edited) }, Object.fromEntries(all)))
    throw new StartError(setupPhrases.notEditable());
  return edited;
}

/** Names whose whole value is a secret. TLS_KEY and GATEWAY_TLS_KEY are paths of files. */
const secretName = /SECRET|PASS|TOKEN|(?<!TLS)_KEY/i;

/** Masks a value that is a secret, or the password of a URL. A password may contain `:`, `/` and `@`. */
const masked = (name: string, value: string) =>
  secretName.test(name)
    ? '***'
    : value.replace(/(:\/\/[^:]*:)[^]*@/, '$1***@').replace(/(password=)[^&]*/gi, '$1***');

/** The lines that differ between two settings files, for the operator. Secrets are masked. */
export function differences(before: string, after: string): string[] {
  const [old, now] = [parseEnv(before), parseEnv(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  const line = (sign: string, name: string, value: string | undefined) =>
    value === undefined ? [] : [`  ${sign} ${name}=${masked(name, value)}`];
  return [...names].flatMap((name) =>
    old[name] === now[name] ? [] : [...line('−', name, old[name]), ...line('+', name, now[name])],
  );
}

export const previousOf = (path: string) => `${path}.previous`;
export const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/**
 * Replaces a file atomically, with the same owner and mode. The former text stays at `previousOf(path)`.
 * @throws StartError when the file system refuses
 */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o640, flag: 'wx', flush: true });
    if (existsSync(path)) {
      const { mode, uid, gid } = statSync(path);
      chmodSync(draft, mode & 0o777);
      chownSync(draft, uid, gid);
      copyFileSync(path, previousOf(path));
    }
    renameSync(draft, path);
  } catch (error) {
    throw startErrorFrom(error, setupPhrases.notWritten(path));
  }
}

function quote(value: string): string {
  if (/^[\w.:/@%+,[\]?&=-]+$/.test(value)) return value;
  return value.includes("'") ? `"${value}"` : `'${value}'`;
}
