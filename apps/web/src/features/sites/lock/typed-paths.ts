import { startPathOf } from '@propusk/access/probe-path';
import { limits } from '@propusk/contract/limits';
import type { ProbePaths } from '@propusk/contract/probe';
import * as t from '@propusk/phrases/console';
import { shownPath } from '../../../entities/site/start-path.ts';

/** The paths of a probe as typed text, one in each line. */

export type PathList = keyof ProbePaths;

/** The entries of a typed text. Whitespace ends an entry where a path or a URL follows. */
const entriesOf = (text: string) =>
  text
    .split(/\n|[,;]?\s+(?=\/|https?:\/\/)/i)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** An entry is a path or a URL of the site. Without this rule, `admin/login` would be the path `/login` of the host `admin`. */
const isPath = (entry: string, host: string) =>
  /^(?:\/|https?:\/\/)/i.test(entry) || entry.toLowerCase().startsWith(`${host}/`);

const pathOf = (entry: string, host: string) => (isPath(entry, host) ? startPathOf(entry) : null);

/** The paths of a typed text, percent-encoded, without its unusable entries. */
export function readPaths(text: string, host: string): string[] {
  return [...new Set(entriesOf(text).flatMap((entry) => pathOf(entry, host) ?? []))];
}

/** Replaces the usable entries of a typed text by their paths. Unusable entries stay as typed. */
export function tidyPaths(text: string, host: string): string {
  const tidy = entriesOf(text).map((entry) => shownPath(pathOf(entry, host) ?? entry));
  return [...new Set(tidy)].join('\n');
}

/** A sentence for each unusable entry of a typed text, and one for too many entries. */
export function faultsOf(list: PathList, text: string, host: string): string[] {
  const { faults } = t.lock.paths;
  const entries = entriesOf(text);
  const excess = entries.length - limits[list];
  const unusable = entries.filter((entry) => pathOf(entry, host) === null);
  const sentences = unusable.map((entry) => {
    if (!isPath(entry, host)) return faults.noSlash(entry);
    return entry.length > limits.startPath ? faults.long(entry) : faults.firstPage(entry);
  });
  return excess > 0 ? [...sentences, faults.tooMany(limits[list], excess)] : sentences;
}
