import * as t from '@propusk/phrases/console';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { messageOf } from '../forms/use-attempt.ts';
import type { Arranged, Field } from './arrange.ts';
import type { Row } from './table.ts';

/** The fault of a field of a row. */
interface Fault {
  readonly field: string;
  readonly text: string;
}

/** A row with the value to send. A row with a fault is not sent. */
export interface Line<Value> extends Row {
  readonly value: Value;
  fault?: Fault;
}

/** Reads a row. @param texts the texts of its fields @returns the value to send, and a key that repeated rows share */
export type Read<Value> = (texts: Readonly<Record<string, string>>) => {
  value: Value;
  key: string;
  fault?: Fault | undefined;
};

/** The lines of a checked table. */
export interface Report<Value> {
  readonly good: readonly Line<Value>[];
  readonly bad: readonly Line<Value>[];
  /** What the dialog says about the good lines; null if the server did not accept them. */
  readonly ready: ReactNode;
  /** Why the server did not check the good lines. */
  readonly failure?: string;
}

/** Reads the values of all rows, and finds repeated ones. */
export function readLines<Value>(
  { rows, mapping }: Arranged,
  fields: readonly Field[],
  read: Read<Value>,
): Line<Value>[] {
  // Bounded: the map exists for one call, and holds at most one entry for each row
  const first = new Map<string, number>();
  return rows.map((row) => {
    const texts = fields.map(({ key }) => [key, row.cells[mapping.indexOf(key)] ?? '']);
    const { value, key, fault } = read(Object.fromEntries(texts));
    const before = key === '' ? undefined : first.get(key);
    first.set(key, before ?? row.line);
    const again = before && { field: fields[0]?.key ?? '', text: t.imports.repeated(before) };
    return { ...row, value, ...((again || fault) && { fault: again || fault }) };
  });
}

/** Checks lines on the server until it accepts those that are left. Each refusal leaves out the lines that it names. */
export async function settle<Value>(
  lines: readonly Line<Value>[],
  preview: (values: Value[]) => Promise<ReactNode>,
): Promise<Report<Value>> {
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
export function mark<Value>(sent: readonly Line<Value>[], error: unknown): boolean {
  const faults = error instanceof ApiError ? Object.entries(error.fields) : [];
  for (const [path, text] of faults) {
    const [, at = '', field = ''] = /(\d+)\.(\w+)/.exec(path) ?? [];
    const line = sent[Number(at)];
    if (line && at !== '') line.fault = { field, text };
  }
  return sent.some(({ fault }) => fault);
}
