import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate, ListQuery, listOf, Named } from './fields.ts';
import { issue } from './issues.ts';
import { Role } from './roles.ts';
import { ShownEmail } from './shown-email.ts';
import { ShownText } from './shown-text.ts';
import { isOfCalendar } from './times.ts';

/** The action. For `changed`, `changes` lists the fields that differ. */
export const AuditAction = z.enum([
  'created',
  'changed',
  'deleted',
  'registered',
  'company_invited',
  'invitation_withdrawn',
  'company_confirmed',
  'invited_again',
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
  'visits_ended',
  'visits_read',
  'visits_exported',
  'support_allowed',
  'support_ended',
  'suspended',
  'suspension_lifted',
]);
export type AuditAction = z.infer<typeof AuditAction>;

/**
 * The kind of the object. In events about a sign-in, a session or a change of one's own password, the object
 * is the user.
 * @example policy
 */
export const AuditKind = z.enum([
  'company',
  'invitation',
  'user',
  'site',
  'policy',
  'proxy',
  'vantage',
  'plan',
  'request',
  'contact',
]);
export type AuditKind = z.infer<typeof AuditKind>;

/** The name of an object's field, as in requests and replies. @example users */
export const AuditField = z.enum([
  'companyName',
  'companySite',
  'secondFactorRequired',
  'addresses',
  'retentionDays',
  'recordsCutAt',
  'keepNames',
  'timeZone',
  'name',
  'surname',
  'email',
  'password',
  'roles',
  'address',
  'startPaths',
  'openPaths',
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
  'price',
  'people',
  'paidProxies',
  'offered',
  'trial',
  'plan',
  'planEndsAt',
  'trialEndsAt',
  'phone',
  'telegram',
  'state',
  'text',
  'reply',
  'validFrom',
  'validUntil',
  'windows',
  'zone',
  'ends',
  'until',
]);
export type AuditField = z.infer<typeof AuditField>;

const Value = z.union([ShownText, z.boolean()]);

/** The change of a field. An empty object means that a secret was set, because secrets are never recorded. */
export const AuditChange = z.object({
  /** The value before the change; absent if the field was empty. */
  from: z.optional(Value),
  /** The value after the change; absent if the field is empty. */
  to: z.optional(Value),
  /** If the field is a list: the names that were added to the list, at most 50. */
  added: z.optional(z.array(z.string())),
  /** If the field is a list: the names that were removed from the list, at most 50. */
  removed: z.optional(z.array(z.string())),
  /** The number of added names that `added` omits. */
  moreAdded: z.optional(z.int()),
  /** The number of removed names that `removed` omits. */
  moreRemoved: z.optional(z.int()),
});
export type AuditChange = z.infer<typeof AuditChange>;

/**
 * An audit event: the actor, the action and the object. Names and roles are those at the time of the event.
 * The event is kept when the actor or the object is deleted.
 */
export const AuditRow = z.object({
  /** The id of the audit event. Later events have higher ids. */
  id: Id,
  /** The time of the event. */
  at: IsoDate,
  /** The company of the object; null for objects of the platform. The company may have been deleted since the event. */
  company: z.nullable(Named),
  /** The user who made the call. */
  actor: z.object({
    id: Id,
    /** Name and surname; may be empty. */
    name: ShownText,
    /** The email address of the actor at the time of the event. */
    email: ShownEmail,
    /** The roles of the actor at the time of the event. */
    roles: z.array(z.object({ value: Role })),
  }),
  /** The IP address of the caller. @example 203.0.113.5 */
  address: z.string(),
  action: AuditAction,
  /** The object of the action. */
  object: z.object({
    kind: AuditKind,
    id: Id,
    /**
     * The name of the object at the time of the event: the address of a site, the email of a user, the host and port of a proxy.
     */
    name: ShownText,
  }),
  /** The fields that differ. For a created or deleted object: all its fields that are not empty. @example {"allSites": {"from": false, "to": true}} */
  changes: z.partialRecord(AuditField, AuditChange),
});
export type AuditRow = z.infer<typeof AuditRow>;

// The pattern accepts the years 1000 to 2999, which both PostgreSQL and JavaScript can parse.
/** A day in Moscow time, or a time with its zone. @example 2026-03-02 */
const Moment = z
  .string()
  .check(
    z.regex(
      /^[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/,
    ),
    z.refine(isOfCalendar, issue('no_such_day')),
  );

/** The query parameters of the audit list. */
export const AuditQuery = z.extend(ListQuery, {
  /** Returns only events at this time or later. A day without a time means 00:00 Moscow time. A time needs a time zone. */
  from: z.optional(Moment),
  /** Returns only events before this time. A day without a time means 24:00 Moscow time. A time needs a time zone. */
  to: z.optional(Moment),
  /**
   * `platform` lists the events of every company. By default, an ADMIN who owns a company gets only the events of that company.
   */
  of: z.optional(z.enum(['company', 'platform'])),
  /** Returns only events of this action. */
  action: z.optional(AuditAction),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/**
 * List audit events, newest first. An owner gets the events of their own company. An ADMIN gets the events of every company. An
 * ADMIN who owns a company gets only the events of that company, unless `of` is `platform`. Only an ADMIN may use `of=platform`.
 * The reply is always one page, by default the first ten rows. `name` searches the name and email of the actor and the name of
 * the object; for an ADMIN also the name of the company. No call changes or deletes audit events.
 */
export const listAudit = endpoint('GET /audit', {
  access: ['CREATOR', 'ADMIN'],
  query: AuditQuery,
  reply: listOf(AuditRow),
  heavy: true,
  errors: ['no_company', 'too_many_rows'],
});
