import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';
import { IdParams } from './fields.ts';
import type { Role } from './roles.ts';

/**
 * The callers of an endpoint. The api refuses other callers before it reads the body.
 *
 * - `public`: anyone.
 * - `maybe-signed-in`: anyone. A call with a session token has an actor.
 * - `signed-in`: any signed-in user.
 * - `gateway`: a gateway with the key of the feed.
 * - Roles: signed-in users with at least one of the roles.
 */
export type Access = 'public' | 'maybe-signed-in' | 'signed-in' | 'gateway' | readonly Role[];

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * The header of the device mark, a token that identifies a browser in which the user has signed in. The reply to a sign-in or a
 * password change contains a mark, and the browser sends the mark with the next sign-in.
 *
 * A browser with a mark has its own rate limit. Other clients can exhaust the limit of the account, but they
 * cannot lock this browser out. The mark grants no access.
 */
export const DEVICE_HEADER = 'propusk-device';

/**
 * Re-authentication for a call: the password is checked before the handler, and a second-factor code at the end of the handler's
 * transaction. A stolen session alone must not be enough to take over accounts (ADR 017).
 */
export interface ProofRule {
  /** Who must re-authenticate: every caller, or only an ADMIN. With `self`, the call's own handler checks the password. */
  readonly of: 'self' | 'everyone' | 'admin';
  /** Re-authentication is required only when the body has one of these fields. */
  readonly fields?: readonly string[];
}

type Schema = z.ZodMiniType | undefined;

/** One call as data. The server, the web client, the OpenAPI document and the tests all read this object. */
export interface Endpoint<
  Allowed extends Access = Access,
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Reply extends Schema = Schema,
> {
  readonly method: Method;
  /** The path below `/api`, with parameters as `:id`. */
  readonly path: `/${string}`;
  readonly access: Allowed;
  /**
   * Whether the call is allowed for users who must still enroll a second factor, because their company
   * requires one. For all other non-public calls, these users get `second_factor_required`.
   */
  readonly beforeFactor: boolean;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The schema of the reply; `undefined` for an empty body. */
  readonly reply: Reply;
  /**
   * The HTTP status of a successful call. The default is 200 with a reply and 204 without a reply. Calls that
   * create an entity use 201.
   */
  readonly status: number;
  /**
   * Whether the call adds entities, or is the dry run of such a call. On a full disk, it gets `disk_full`. The default is true for
   * status 201.
   */
  readonly creates: boolean;
  /**
   * The call concerns one entity with a version. The reply has the version as `ETag`. A PUT or DELETE with an outdated `If-Match`
   * gets 412 (RFC 9110 section 13.1.1).
   */
  readonly versioned: boolean;
  readonly proof: ProofRule | undefined;
  /**
   * How the call uses the device mark. `given`: a successful reply contains a mark. `taken`: the reply contains a
   * mark, and the call reads the mark in the request. A call with `proof` always reads the mark in the request.
   */
  readonly device: 'given' | 'taken' | undefined;
  /**
   * Whether the call reads many rows. At most two such calls of a company run at once. A statement that runs
   * longer than 5 s fails with `too_long`.
   */
  readonly heavy: boolean;
  /** How long a client waits for the reply, in seconds: longer than the slowest reply of a healthy server. */
  readonly replySeconds: number;
  /** The errors of the handler. All calls may also return the errors for access, input and an unavailable database. */
  readonly errors: readonly ErrorCode[];
}

/** The parameters of a path: by default only `:id` of an entity. */
type ParamsOf<Call extends string> = Call extends `${string}/:id${string}` ? typeof IdParams : undefined;

/**
 * Declares a call.
 * @param call method and path below `/api`, such as `GET /proxy/:id`
 * @param spec the properties that differ from the defaults
 */
export function endpoint<
  const Call extends `${Method} /${string}`,
  const Allowed extends Access,
  Params extends Schema = ParamsOf<Call>,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
  Reply extends Schema = undefined,
>(
  call: Call,
  spec: Pick<Endpoint<Allowed>, 'access'> &
    Partial<Omit<Endpoint<Allowed, Params, Query, Body, Reply>, 'method' | 'path'>>,
): Endpoint<Allowed, Params, Query, Body, Reply> {
  const [method, path] = call.split(' ') as [Method, `/${string}`];
  return {
    method,
    path,
    beforeFactor: false,
    params: (path.includes('/:id') ? IdParams : undefined) as Params,
    query: undefined as Query,
    body: undefined as Body,
    reply: undefined as Reply,
    status: spec.reply === undefined ? 204 : 200,
    creates: spec.status === 201,
    versioned: false,
    proof: undefined,
    device: undefined,
    heavy: false,
    replySeconds: 20,
    errors: [],
    ...spec,
  };
}

/**
 * Whether the api requires re-authentication from a caller with these roles, for this parsed body. False for
 * `self`, because the handler of the call checks the password.
 */
export function asksProof({ proof }: Endpoint, roles: readonly Role[], body: unknown): boolean {
  if (proof === undefined || proof.of === 'self') return false;
  if (proof.of === 'admin' && !roles.includes('ADMIN')) return false;
  const given: Record<string, unknown> = { ...(body as object) };
  return proof.fields === undefined || proof.fields.some((field) => given[field] !== undefined);
}

/** Whether a call accepts `Idempotency-Key`. A call accepts the key if it creates an entity and requires a role. */
export function isIdempotent({ method, status, access }: Endpoint): boolean {
  return method === 'POST' && status === 201 && typeof access !== 'string';
}

/** Whether a call is a list that also replies with a CSV of all matching rows, for `Accept: text/csv`. */
export const isExported = ({ errors }: Endpoint): boolean => errors.includes('too_many_rows');

/** Whether a call accepts `If-Match`. */
export function isConditional({ versioned, method }: Endpoint): boolean {
  return versioned && (method === 'PUT' || method === 'DELETE');
}

/** The input type of a part of a call, before parsing. */
export type Input<S extends Schema> = S extends z.ZodMiniType ? z.input<S> : undefined;
/** The parsed type of a part of a call: the input of the handler, or the reply to the caller. */
export type Output<S extends Schema> = S extends z.ZodMiniType ? z.output<S> : undefined;
