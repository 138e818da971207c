import { readFileSync } from 'node:fs';

const programs = /^(?:apt|curl|docker|npm|podman|podman-compose|propusk|systemctl) \S/;
/** A line of a settings file, which pages show in code blocks too. */
const isSetting = (line: string) => /^[A-Z_]+=/.test(line);

/**
 * Reads the code of a page: the lines of its code blocks, indented by four spaces or fenced, without trailing comments, and the code
 * spans in its text that begin with one of `programs`. Each once, in the order of the page.
 */
function codeOf(page: string): string[] {
  const found: string[] = [];
  let [inFence, inBlock, afterBlank] = [false, false, true];
  for (const line of readFileSync(page, 'utf8').split('\n')) {
    // CommonMark: an indented block begins after a blank line.
    inBlock = line.startsWith('    ') && (inBlock || afterBlank);
    afterBlank = line.trim() === '';
    if (/^\s*(```|~~~)/.test(line)) inFence = !inFence;
    else if (inFence || inBlock) found.push(line.trim().replace(/(^|\s+)# .*$/, ''));
    else
      found.push(
        ...[...line.matchAll(/`([^`]+)`/g)].flatMap(([, span = '']) => (programs.test(span) ? [span] : [])),
      );
  }
  return [...new Set(found)].filter((line) => line !== '');
}

/** The commands of a page, as they are written. @throws Error when there is none: the form of the page has changed */
export function commandsOf(page: string): string[] {
  const commands = codeOf(page).filter((line) => !isSetting(line));
  if (commands.length === 0) throw new Error(`${page} shows no command`);
  return commands;
}

/** The lines of settings files in a page. */
export const settingsOf = (page: string): string[] => codeOf(page).filter(isSetting);

/** Why a command of a page runs in no test. */
export const notRun: Readonly<Record<string, string>> = {
  'docker build': 'half a command; docker needs a booted system',
  'npm run api': 'needs the settings of several machines: api-process.ts of the test kit starts this process',
  'npm run gateway':
    'needs the settings of several machines: gateway-process.ts of the test kit starts this process',
};
