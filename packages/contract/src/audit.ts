import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate, ListQuery, listOf } from './fields.ts';
import { issue } from './issues.ts';
import { Role } from './roles.ts';

/** Actions of users. Only `changed` lists the changed fields. */
export const AuditAction = z.enum([
  'created',
  'changed',
  'deleted',
  'registered',
  'company_invited',
  'company_confirmed',
  'signed_in',
  'signed_out',
  'session_ended',
  'other_sessions_ended',
  'password_changed',
  'password_reset',
  'email_link_asked',
  'email_confirmed',
  'lock_shared',
  'check_asked',
  'second_factor_on',
  'second_factor_off',
  'second_factor_reset',
  'recovery_code_used',
  'recovery_codes_renewed',
]);
export type AuditAction = z.infer<typeof AuditAction>;

/** The type of the object. */
export const AuditKind = z.enum(['company', 'invitation', 'user', 'site', 'policy', 'proxy', 'vantage']);
export type AuditKind = z.infer<typeof AuditKind>;

/** The entity fields that `changes` may contain, by wire name. */
export const AuditField = z.enum([
  'companyName',
  'companySite',
  'secondFactorRequired',
  'name',
  'surname',
  'email',
  'password',
  'roles',
  'address',
  'politics',
  'description',
  'proxy',
  'allSites',
  'users',
  'sites',
  'proxies',
  'host',
  'port',
  'username',
  'type',
  'client',
  'agent',
]);
export type AuditField = z.infer<typeof AuditField>;

const Value = z.union([z.string(), z.boolean()]);

/**
 * A field before and after; for a list, the added and removed names. An empty object means that a secret was set: the audit
 * never records its value.
 */
export const AuditChange = z.object({
  from: z.optional(Value),
  to: z.optional(Value),
  added: z.optional(z.array(z.string())),
  removed: z.optional(z.array(z.string())),
  /** The numbers of names beyond the listed ones. */
  moreAdded: z.optional(z.int()),
  moreRemoved: z.optional(z.int()),
});
export type AuditChange = z.infer<typeof AuditChange>;

/** An audit event: actor, action and object, with their names at that time. */
export const AuditRow = z.object({
  id: Id,
  at: IsoDate,
  /** The company of the object; null for the platform's. */
  company: z.nullable(z.object({ id: Id, name: z.string() })),
  actor: z.object({
    id: Id,
    name: z.string(),
    email: z.string(),
    roles: z.array(z.object({ value: Role })),
  }),
  address: z.string(),
  action: AuditAction,
  object: z.object({ kind: AuditKind, id: Id, name: z.string() }),
  changes: z.partialRecord(AuditField, AuditChange),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** A day, or a timestamp with a zone. The years 1000 to 2999 are valid in both PostgreSQL and JavaScript. */
const Moment = z
  .string()
  .check(
    z.regex(
      /^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/,
    ),
    z.refine(isOfCalendar, issue('no_such_day')),
  );

/** Rejects days that do not exist: JavaScript reads 30 February as 2 March (1 March in a leap year). */
function isOfCalendar(moment: string): boolean {
  const day = moment.slice(0, 'YYYY-MM-DD'.length);
  const read = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day);
}

/** A day is a day in Moscow, and `to` includes it; a timestamp has its own zone, and `to` excludes it. */
export const AuditQuery = z.extend(ListQuery, {
  from: z.optional(Moment),
  to: z.optional(Moment),
  of: z.optional(z.enum(['company', 'platform'])),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const listAudit = endpoint({
  method: 'GET',
  path: '/audit',
  access: ['CREATOR', 'ADMIN'],
  query: AuditQuery,
  reply: listOf(AuditRow),
  errors: ['no_company'],
});
