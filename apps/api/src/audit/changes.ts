import type { AuditChange, AuditField } from '@propusk/contract/audit';

/** One of a list; the same id is the same one, whatever it is called by now. */
interface Item {
  readonly id: number | string;
  readonly name: string;
}
/**
 * What a row tells of an entity. To be made of what replies tell: what is in no reply is in no row. What is counted, or follows
 * from other rows, is left out.
 */
export type Facts = { readonly [F in AuditField]?: string | boolean | readonly Item[] };
export type Changes = { [F in AuditField]?: AuditChange };

/** Names of a list and their characters in all, and characters of a text, that a row holds. */
export const BOUNDS = { names: 50, list: 1_500, text: 300 } as const;

/** The fields that differ, by name. Of what was not there before, or is not afterwards, those that hold something. */
export function differences(before: Facts, after: Facts): Changes {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])] as AuditField[];
  return Object.fromEntries(
    fields.flatMap((field) => {
      const change = difference(before[field], after[field]);
      return change === null ? [] : [[field, change]];
    }),
  );
}

type Fact = Facts[AuditField];

function difference(before: Fact, after: Fact): AuditChange | null {
  if (isList(before) || isList(after)) {
    const [old, fresh] = [isList(before) ? before : [], isList(after) ? after : []];
    const [added, removed] = [without(fresh, old), without(old, fresh)];
    if (added.length + removed.length === 0) return null;
    const [come, gone] = [fitting(added), fitting(removed)];
    return {
      ...(added.length > 0 && { added: come }),
      ...(removed.length > 0 && { removed: gone }),
      ...(added.length > come.length && { moreAdded: added.length - come.length }),
      ...(removed.length > gone.length && { moreRemoved: removed.length - gone.length }),
    };
  }
  if (before === after || (isNothing(before) && isNothing(after))) return null;
  return {
    ...(before !== undefined && before !== '' && { from: bounded(before) }),
    ...(after !== undefined && after !== '' && { to: bounded(after) }),
  };
}

const isList = (fact: Fact): fact is readonly Item[] => Array.isArray(fact);
const isNothing = (fact: Fact) => fact === undefined || fact === '' || fact === false;

/** The names of what the other list lacks. By id: who was only renamed neither came nor went. */
function without(list: readonly Item[], other: readonly Item[]): string[] {
  const ids = new Set(other.map(({ id }) => id));
  return list.filter(({ id }) => !ids.has(id)).map(({ name }) => bounded(name));
}

/** As many names as a row holds: the first always. */
function fitting(names: readonly string[]): string[] {
  let room = BOUNDS.list;
  return names.filter((name, place) => {
    room -= name.length;
    return place < BOUNDS.names && (place === 0 || room >= 0);
  });
}

function bounded<T extends string | boolean>(value: T): T {
  if (typeof value !== 'string' || value.length <= BOUNDS.text) return value;
  // Half of a letter beyond the BMP is no text that a database takes.
  return `${value.slice(0, BOUNDS.text).replace(/[\uD800-\uDBFF]$/, '')}…` as T;
}
