import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { findGrowing } from './find-growing.ts';
import { stored } from './inventory-stored.ts';

/**
 * The inventory of everything that grows with input: `npm run check` fails when a structure has no tag, a tag names a test
 * file that does not exist, or the table in docs/trust.md is not current. `npm run inventory` writes the table.
 *
 * A tag is a comment right above the declaration, of one line or more:
 *
 *     // grows: by WHO; bound: COUNT AND BYTES; at the bound: WHAT HAPPENS; test: FILE
 *
 * FILE is a path from the root of the repository. `none` says that no test fills the structure to its bound yet. When
 * `findGrowing` reports a structure that does not outlive its call, a tag gives the reason:
 *
 *     // grows: not, REASON
 */

const SOURCES = '{apps/{api,gateway,extension,supervisor}/src,packages/*/src}/**/*.ts';
const TESTS = /\.test\.ts$|^packages\/test-kit\//;
const PAGE = 'docs/trust.md';
const [BEGIN, END] = ['<!-- inventory: written by npm run inventory -->', '<!-- end of the inventory -->'];
const FORM = /^by (.+?); bound: (.+?); at the bound: (.+?); test: (\S+)$/;

export interface Entry {
  /** File and name. */
  readonly where: string;
  readonly by: string;
  readonly bound: string;
  readonly atBound: string;
  /** A file, or `none`. */
  readonly test: string;
}

/** Parses a tag. @returns null for `not, REASON` @throws Error that names the fault */
export function readTag(where: string, tag: string | null): Entry | null {
  if (tag === null) throw new Error(`${where} grows, and no "// grows:" comment above it gives its bound`);
  if (/^not, \S/.test(tag)) return null;
  const [, by, bound, atBound, test] = FORM.exec(tag) ?? [];
  if (by === undefined || bound === undefined || atBound === undefined || test === undefined) {
    throw new Error(`${where}: the tag is not "by …; bound: …; at the bound: …; test: …"`);
  }
  return { where, by, bound, atBound, test };
}

/** Reads all sources. @returns their entries, and one line for each fault */
function readSources(): { entries: Entry[]; faults: string[] } {
  const [entries, faults]: [Entry[], string[]] = [[], []];
  for (const file of globSync(SOURCES).toSorted()) {
    if (TESTS.test(file)) continue;
    for (const { name, line, tag } of findGrowing(file, readFileSync(file, 'utf8'))) {
      try {
        const entry = readTag(`${file}:${line} ${name}`, tag);
        if (entry !== null) entries.push({ ...entry, where: `\`${file}\` ${name}` });
      } catch (error) {
        faults.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  const all = [...entries, ...stored];
  for (const { where, test } of all) {
    if (test !== 'none' && !existsSync(test)) faults.push(`${where}: there is no test ${test}`);
  }
  return { entries: all, faults };
}

function tableOf(entries: readonly Entry[]): string {
  const shown = (test: string) =>
    test === 'none' ? 'none yet' : `\`${test.replace(/^.*\/|\.test\.ts$/g, '')}\``;
  const lines = entries.map((entry) => {
    const cells = [entry.where, entry.by, entry.bound, entry.atBound, shown(entry.test)];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| structure | filled by | bound | at the bound | test |', '|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}

/** Replaces the table between the marks of the page. @throws Error when a mark is missing */
function withTable(page: string, table: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${PAGE} lacks a mark of the inventory`);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}

if (import.meta.main) {
  const writes = process.argv[2] !== 'check';
  const { entries, faults } = readSources();
  const page = readFileSync(PAGE, 'utf8');
  const current = withTable(page, tableOf(entries));
  if (writes) writeFileSync(PAGE, current);
  else if (current !== page) faults.push(`${PAGE} is not current: run \`npm run inventory\``);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exit(faults.length === 0 ? 0 : 1);
}
