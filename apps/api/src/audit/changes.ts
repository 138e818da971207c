import type { AuditChange, AuditField } from '@propusk/contract/audit';
import { shownEmails } from '@propusk/contract/shown-email';

/** An element of a list. Elements are compared by `id`, so a rename does not change the list. */
interface Item {
  readonly id: number | string;
  readonly name: string;
}
/**
 * The audited fields of an entity, built from a reply, so that an audit event contains only what replies show. Counts and values
 * derived from other rows are not audited.
 */
export type AuditFields = { readonly [F in AuditField]?: string | boolean | readonly Item[] };
export type Changes = { [F in AuditField]?: AuditChange };

/** Limits of one changed field: names in a list, total characters of those names, characters of a text. */
export const BOUNDS = { names: 50, list: 1_500, text: 300 } as const;

/** Returns the fields that differ. Empty fields of a created or deleted object are omitted. */
export function differences(before: AuditFields, after: AuditFields): Changes {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])] as AuditField[];
  return Object.fromEntries(
    fields.flatMap((field) => {
      const change = difference(before[field], after[field]);
      return change === null ? [] : [[field, change]];
    }),
  );
}

type AuditFieldValue = AuditFields[AuditField];

function difference(before: AuditFieldValue, after: AuditFieldValue): AuditChange | null {
  if (isList(before) || isList(after)) {
    const [old, current] = [isList(before) ? before : [], isList(after) ? after : []];
    const [added, removed] = [without(current, old), without(old, current)];
    if (added.length + removed.length === 0) return null;
    const [shownAdded, shownRemoved] = [fitting(added), fitting(removed)];
    return {
      ...(added.length > 0 && { added: shownAdded }),
      ...(removed.length > 0 && { removed: shownRemoved }),
      ...(added.length > shownAdded.length && { moreAdded: added.length - shownAdded.length }),
      ...(removed.length > shownRemoved.length && { moreRemoved: removed.length - shownRemoved.length }),
    };
  }
  if (before === after || (isEmpty(before) && isEmpty(after))) return null;
  return {
    ...(before !== undefined && before !== '' && { from: bounded(before) }),
    ...(after !== undefined && after !== '' && { to: bounded(after) }),
  };
}

const isList = (value: AuditFieldValue): value is readonly Item[] => Array.isArray(value);
const isEmpty = (value: AuditFieldValue) => value === undefined || value === '' || value === false;

/** Returns the names of the items of `list` that are not in `other`. */
function without(list: readonly Item[], other: readonly Item[]): string[] {
  const ids = new Set(other.map(({ id }) => id));
  return list.filter(({ id }) => !ids.has(id)).map(({ name }) => bounded(name));
}

/** Shortens a list of names to the limits of an audit event. The first name always stays. */
function fitting(names: readonly string[]): string[] {
  let room = BOUNDS.list;
  return names.filter((name, place) => {
    room -= name.length;
    return place < BOUNDS.names && (place === 0 || room >= 0);
  });
}

function bounded<T extends string | boolean>(value: T): T {
  if (typeof value !== 'string') return value;
  const shown = shownEmails(value);
  if (shown.length <= BOUNDS.text) return shown as T;
  // Removes half of a surrogate pair at the end, because PostgreSQL rejects text with a lone surrogate.
  return `${shown.slice(0, BOUNDS.text).replace(/[\uD800-\uDBFF]$/, '')}…` as T;
}
