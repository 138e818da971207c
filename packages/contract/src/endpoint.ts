import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';
import type { Role } from './roles.ts';

/**
 * The callers of an endpoint: anyone; anyone, with the actor known if a token is sent; any signed-in user; a gateway with the
 * feed's key; or users with one of the roles. The api refuses other callers before it reads the body.
 */
export type Access = 'public' | 'maybe-signed-in' | 'signed-in' | 'gateway' | readonly Role[];

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * The device mark of a browser that signed in before: answered by sign-in and by a new password, sent with the next
 * sign-in. It gives no right. Strangers who use up the account's attempts do not use up those of a marked browser.
 */
export const DEVICE_HEADER = 'propusk-device';

type Schema = z.ZodMiniType | undefined;

/** One call as data. The server, the web client, OpenAPI and the tests all read this one object. */
export interface Endpoint<
  Allowed extends Access = Access,
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Reply extends Schema = Schema,
> {
  readonly method: Method;
  /** Below `/api`, parameters as `:id`. */
  readonly path: `/${string}`;
  readonly access: Allowed;
  /**
   * Open also to a person whose company requires a second factor and who has none yet. Everything else is closed to them
   * (`second_factor_required`), but for what is open to anybody.
   */
  readonly beforeFactor: boolean;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The answer's schema; `undefined` answers with an empty body. */
  readonly reply: Reply;
  /** 200 with a reply and 204 without one, unless said otherwise (201 for what creates). */
  readonly status: number;
  /**
   * The call is about one entity that carries a version: a reply has it as `ETag`, a PUT or DELETE takes `If-Match` and
   * is refused (412) when the entity was changed meanwhile (RFC 9110 section 13.1.1).
   */
  readonly versioned: boolean;
  /** The call answers with a device mark when it succeeds; `taken` says that it also reads one. */
  readonly device: 'given' | 'taken' | undefined;
  /** How the handler may refuse, beyond what follows from access, input and a database that is away. */
  readonly errors: readonly ErrorCode[];
}

/**
 * Declares a call.
 * @param spec what differs from a call without params, query, body and reply
 */
export function endpoint<
  const Allowed extends Access,
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
  Reply extends Schema = undefined,
>(spec: {
  method: Method;
  path: `/${string}`;
  access: Allowed;
  beforeFactor?: boolean;
  params?: Params;
  query?: Query;
  body?: Body;
  reply?: Reply;
  status?: number;
  versioned?: boolean;
  device?: 'given' | 'taken';
  errors?: readonly ErrorCode[];
}): Endpoint<Allowed, Params, Query, Body, Reply> {
  return {
    method: spec.method,
    path: spec.path,
    access: spec.access,
    beforeFactor: spec.beforeFactor ?? false,
    params: spec.params as Params,
    query: spec.query as Query,
    body: spec.body as Body,
    reply: spec.reply as Reply,
    status: spec.status ?? (spec.reply ? 200 : 204),
    versioned: spec.versioned ?? false,
    device: spec.device,
    errors: spec.errors ?? [],
  };
}

/** Whether a call takes `Idempotency-Key`: everything that creates for somebody who is signed in. */
export function isIdempotent({ method, status, access }: Endpoint): boolean {
  return method === 'POST' && status === 201 && typeof access !== 'string';
}

/** The input type of a part of a call, before parsing. */
export type Input<S extends Schema> = S extends z.ZodMiniType ? z.input<S> : undefined;
/** The parsed type of a part of a call: a handler's input, a caller's reply. */
export type Output<S extends Schema> = S extends z.ZodMiniType ? z.output<S> : undefined;
