import type { AuditChange, AuditField, AuditKind, AuditRow } from '@propusk/contract/audit';
import * as t from '@propusk/phrases/console';
import { sayWindows } from '../../entities/policy/windows.ts';
import { dayFormatIn } from '../../ui/day.tsx';

/** A sentence lists at most this many names, and counts the others. */
const SHOWN = 3;

/** Formats days in Moscow time, as everywhere in the audit log. */
const dayFormat = dayFormatIn('Europe/Moscow');
const moments = new Set<AuditField>(['recordsCutAt', 'validFrom']);
/** The fields that hold an end: their value is the end of the day that the field shows. */
const ends = new Set<AuditField>(['validUntil', 'until', 'ends']);
const isMoment = (field: AuditField) => field.endsWith('EndsAt') || moments.has(field);

/** One changed field: its label and its values before and after. */
export interface Detail {
  readonly field: AuditField;
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** The actor's name, or the email when there is no name. */
export function actorOf({ actor }: AuditRow): string {
  return actor.name || actor.email;
}

/** The event as a sentence that follows the actor's name. An edit lists its changes. */
export function sentenceOf({ action, object, changes }: AuditRow): string {
  if (action === 'signed_in' && changes.client?.to === 'extension') return t.audit.intoExtension;
  const event = t.audit.events[action](object.kind, object.name);
  const parts =
    action === 'changed' ? entries(changes).map((change) => phraseOf(object.kind, ...change)) : [];
  return parts.length === 0 ? event : `${event}: ${parts.join('; ')}`;
}

/** All changed fields of an event. */
export function detailsOf({ object, changes }: AuditRow): readonly Detail[] {
  return entries(changes).map(([field, change]) => ({
    field,
    ...sidesOf(field, change),
    label: labelOf(object.kind, field),
  }));
}

function sidesOf(field: AuditField, change: AuditChange): { before: string; after: string } {
  if (isSecret(change)) return { before: t.audit.hidden, after: t.audit.newSecret };
  const { from, to, added = [], removed = [], moreAdded = 0, moreRemoved = 0 } = change;
  if (from !== undefined || to !== undefined) return { before: show(field, from), after: show(field, to) };
  return {
    before: removed.length === 0 ? '' : `− ${listed(field, removed, moreRemoved, removed.length)}`,
    after: added.length === 0 ? '' : `+ ${listed(field, added, moreAdded, added.length)}`,
  };
}

function phraseOf(kind: AuditKind, field: AuditField, change: AuditChange): string {
  const label = labelOf(kind, field);
  if (isSecret(change)) return `${label}: ${t.audit.newSecret}`;
  const { from, to, added = [], removed = [], moreAdded = 0, moreRemoved = 0 } = change;
  if (added.length + removed.length > 0) {
    return [
      ...(added.length > 0 ? [t.audit.added(label, listed(field, added, moreAdded, SHOWN))] : []),
      ...(removed.length > 0 ? [t.audit.removed(label, listed(field, removed, moreRemoved, SHOWN))] : []),
    ].join('; ');
  }
  return [
    `${label}:`,
    ...(from === undefined ? [] : [show(field, from), '→']),
    to === undefined ? '—' : show(field, to),
  ].join(' ');
}

/** The changed fields in the phrase table's order, because PostgreSQL orders the keys of jsonb by length. */
function entries(changes: AuditRow['changes']): readonly (readonly [AuditField, AuditChange])[] {
  return (Object.keys(t.audit.fields) as AuditField[]).flatMap((field) => {
    const change = changes[field];
    return change === undefined ? [] : [[field, change] as const];
  });
}
const isSecret = (change: AuditChange) => Object.keys(change).length === 0;

function labelOf(kind: AuditKind, field: AuditField): string {
  return field === 'name' && kind !== 'user' ? t.audit.objectName : t.audit.fields[field];
}

function show(field: AuditField, value: string | boolean | undefined): string {
  if (value === undefined) return '';
  if (value === '') return '—';
  if (typeof value === 'boolean') return value ? t.audit.yes : t.audit.no;
  if (isMoment(field)) return dayFormat.format(new Date(value));
  if (ends.has(field)) return value.replace(/[\d-]+T\S+Z$/, (iso) => dayFormat.format(Date.parse(iso) - 1));
  if (field === 'windows') return sayWindows(JSON.parse(value));
  if (field === 'phone') return t.shownPhone(value);
  if (field === 'client') return t.audit.clients[value] ?? value;
  if (field === 'addresses') return t.audit.addresses[value] ?? value;
  if (field === 'type') return t.audit.types[value] ?? value;
  return value;
}

function listed(field: AuditField, names: readonly string[], more: number, most: number): string {
  const shown = names
    .slice(0, most)
    .map((one) => (field === 'roles' ? (t.audit.roles[one] ?? one) : show(field, one)));
  const left = names.length - shown.length + more;
  return [shown.join(', '), ...(left > 0 ? [t.audit.andMore(left)] : [])].join(' ');
}
