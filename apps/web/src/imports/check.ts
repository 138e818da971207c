import type { Named } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import { ApiError } from '../api/api-error.ts';
import { messageOf } from '../forms/use-attempt.ts';
import type { Arranged, Field, Row } from './table.ts';

/** What an import sends of a row: the texts of its fields, and the ids of its policies. */
export type Value<Key extends string> = Record<Key, string> & { politics: number[] };

/** A row with the value to send. A row with a fault, which is about one of its fields, is not sent. */
export interface Line<Key extends string> extends Row {
  readonly value: Value<Key>;
  fault?: { readonly field: string; readonly text: string } | undefined;
}

/** The lines of a checked table. */
export interface Report<Key extends string> {
  readonly good: readonly Line<Key>[];
  readonly bad: readonly Line<Key>[];
  /** What the dialog says about the good lines; null if the server did not accept them. */
  readonly ready: string | null;
  /** Why the server did not check the good lines. */
  readonly failure?: string;
}

/**
 * Reads the values of all rows, and finds unknown policies and repeated rows.
 * @param keyOf returns the key of a row from the text of its first field. Rows with equal keys, in any case of letters, are repeated
 */
export function readLines<Key extends string>(
  { rows, mapping }: Arranged,
  fields: readonly Field<Key>[],
  policies: readonly Named[],
  keyOf: (text: string) => string,
): Line<Key>[] {
  const find = policyFinder(policies);
  // Bounded: the map exists for one call, and holds at most one entry for each row
  const first = new Map<string, number>();
  return rows.map((row) => {
    const textOf = (field = '') => row.cells[mapping.indexOf(field)] ?? '';
    const { politics, unknown } = find(textOf('politics'));
    const texts = Object.fromEntries(fields.map(({ key }) => [key, textOf(key)])) as Record<Key, string>;
    const line: Line<Key> = { ...row, value: { ...texts, politics } };
    if (unknown !== undefined) line.fault = { field: 'politics', text: t.imports.noPolicy(unknown) };
    const key = keyOf(textOf(fields[0]?.key)).toLowerCase();
    const before = key === '' ? undefined : first.get(key);
    if (before === undefined) first.set(key, row.line);
    else line.fault = { field: fields[0]?.key ?? '', text: t.imports.repeated(before) };
    return line;
  });
}

/** Returns a function that finds the policies which a text names, separated by semicolons, commas or lines. */
function policyFinder(policies: readonly Named[]) {
  const fold = (name: string) => name.trim().toLowerCase();
  const ids = new Map(policies.map(({ id, name }) => [fold(name), id]));
  return (text: string) => {
    const names = text
      .split(/[;\n]/)
      // The name of a policy may contain a comma.
      .flatMap((part) => (ids.has(fold(part)) ? part : part.split(',')))
      .filter((name) => fold(name) !== '');
    const unknown = names.find((name) => !ids.has(fold(name)))?.trim();
    return { politics: [...new Set(names.flatMap((name) => ids.get(fold(name)) ?? []))], unknown };
  };
}

/** Checks lines on the server until it accepts those that are left. Each refusal leaves out the lines that it names. */
export async function settle<Key extends string>(
  lines: readonly Line<Key>[],
  preview: (values: Value<Key>[]) => Promise<string>,
): Promise<Report<Key>> {
  for (let round = 1; ; round++) {
    const good = lines.filter(({ fault }) => !fault);
    const bad = lines.filter(({ fault }) => fault).toSorted((one, other) => one.line - other.line);
    if (good.length === 0) return { good, bad, ready: null };
    try {
      return { good, bad, ready: await preview(good.map(({ value }) => value)) };
    } catch (error) {
      if (mark(good, error)) continue;
      if (round === 1) throw error;
      return { good, bad, ready: null, failure: messageOf(error) };
    }
  }
}

/** Adds the faults of a refusal to the lines that it names by their index, such as `people.3.email`. @returns whether it names any */
export function mark(sent: readonly Line<string>[], error: unknown): boolean {
  const faults = error instanceof ApiError ? Object.entries(error.fields) : [];
  for (const [path, text] of faults) {
    const [, at = '', field = ''] = /(\d+)\.(\w+)/.exec(path) ?? [];
    const line = sent[Number(at)];
    if (line && at !== '') line.fault = { field, text };
  }
  return sent.some(({ fault }) => fault);
}
