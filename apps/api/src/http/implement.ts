import { timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import type { GatewayKeys } from '@propusk/access/gateway-secret';
import {
  asksProof,
  DEVICE_HEADER,
  type Endpoint,
  isConditional,
  isExported,
  isIdempotent,
  type Output,
} from '@propusk/contract/endpoint';
import { health } from '@propusk/contract/health';
import { limits } from '@propusk/contract/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import { type Actor, admitTo } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { KeyedLimiter } from '../core/keyed-limiter.ts';
import { etag, type IfMatch, readIfMatch, type Target } from '../core/versions.ts';
import { committing } from '../db/after-commit.ts';
import type { Db, Tx } from '../db/open.ts';
import type { Encryption } from '../encryption.ts';
import type { Throttle } from '../throttle/throttle.ts';
import { bearer, findActor } from './authenticate.ts';
import type { Load } from './batch-loader.ts';
import type { BodyBudget } from './body-budget.ts';
import { asksCsv, csvTable, sendAs } from './csv.ts';
import type { Exports } from './exports.ts';
import { type Claim, once, readClaim } from './idempotency.ts';
import type { Calls, Reads } from './reads.ts';
import { serializeList } from './replies.ts';
import { findHolder, type Session } from './sessions.ts';

/**
 * Re-authenticates the actor of a call, then runs the call (`identity/proof.ts`).
 * @param run runs the call, and awaits `prove` at the end of the transaction; `prove` checks the password and the code
 * @throws AppError bad_input for a missing or wrong password or code; too_many_requests after too many attempts; errors of `run`
 */
export type Prover = <T>(
  endpoint: Endpoint,
  call: { readonly actor: Actor; readonly body: unknown; readonly device: string | undefined },
  run: (prove: (tx: Tx) => Promise<void>) => Promise<T>,
) => Promise<T>;

/** The dependencies of every slice's routes. */
export interface Routes {
  readonly app: FastifyInstance;
  readonly db: Db;
  /** Finds a live session by the hash of its token. */
  readonly sessions: Load<Session>;
  readonly encryption: Encryption;
  readonly prove: Prover;
  readonly throttle: Throttle;
  /** Limits the concurrent writes of each company. */
  readonly queue: KeyedLimiter;
  readonly reads: Reads;
  readonly calls: Calls;
  /** Limits the open exports. */
  readonly exports: Exports;
  /** Limits the memory of bodies during their upload. */
  readonly bodyBudget: BodyBudget;
  /** The keys that the api shares with gateways. */
  readonly gatewayKeys: GatewayKeys;
  /** Whether the database has stopped answering (`db/watch.ts`). */
  readonly isSilent: () => boolean;
  /** Whether the disk of the database is full (`disk-reserve.ts` of embedded-postgres). */
  readonly isShort: () => boolean;
  /** The endpoints that have a handler. If an endpoint has no handler, the server does not start. */
  readonly implemented: Set<Endpoint>;
}

/** A call as its handler receives it. */
interface Call<E extends Endpoint> {
  /** The user who makes the call. Null for public calls and for calls that gateways make. */
  readonly actor: E['access'] extends 'public' | 'gateway'
    ? null
    : E['access'] extends 'maybe-signed-in'
      ? Actor | null
      : Actor;
  readonly params: Output<E['params']>;
  readonly query: Output<E['query']>;
  readonly body: Output<E['body']>;
  /** The expected versions of the entity (`core/versions.ts`). */
  readonly ifMatch: IfMatch;
  /** The entity to change: its id from the path, and its expected versions. */
  readonly target: Output<E['params']> extends { id: number } ? Target : never;
  /** The client's IP address. X-Forwarded-For is used only in requests from proxies that TRUST_PROXY lists. */
  readonly address: string;
  /** The `User-Agent` header. */
  readonly agent: string | undefined;
  /** The device mark as the client sent it (`Propusk-Device`), not yet verified. A device mark identifies a known browser. */
  readonly device: string | undefined;
  /** The connection pool for queries. A GET call with an actor uses the pool of reads; other calls use the pool of writes. */
  readonly db: Db;
  /**
   * Runs `work` in a transaction, and again after a deadlock. If `work` throws, the transaction rolls back. A call with
   * `Idempotency-Key` may use `write` only once: a repeated request gets the stored result, and `work` does not run.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  header(name: string, value: string): void;
}

type Handler<E extends Endpoint> = (
  call: Call<E>,
) => Promise<E['reply'] extends undefined ? void : Output<E['reply']>>;

/**
 * Registers the handler of an endpoint. The steps of a call are: token → actor → access → parse → handler → reply without
 * undeclared fields. The access check precedes the upload of the body.
 */
export function implement<const E extends Endpoint>(routes: Routes, endpoint: E, handle: Handler<E>): void {
  const { method, versioned } = endpoint;
  routes.app.route({
    ...routeOf(routes, endpoint),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const claim = claimOf(routes, endpoint, request);
      const ifMatch = isConditional(endpoint) ? readIfMatch(request.headers['if-match']) : null;
      const call = {
        actor: request.actor,
        params: request.params,
        query: request.query,
        body: request.body,
        ifMatch,
        target: { ...(request.params as object), ifMatch },
        address: request.ip,
        agent: request.headers['user-agent'],
        device: request.headers[DEVICE_HEADER],
        db: routes.db,
        write: async <T>(work: (tx: Tx) => Promise<T>) => {
          const { result, replayed } = await inTurn(routes, request.actor, (tx) =>
            claim === null ? plainly(work(tx)) : once(tx, claim, work),
          );
          if (replayed) reply.header('idempotent-replayed', 'true');
          return result;
        },
        header: (name: string, value: string) => reply.header(name, value),
      } as unknown as Call<E>;
      const { actor } = request;
      if (actor !== null && isExported(endpoint) && asksCsv(request)) {
        return routes.exports(actor, async (signal) => {
          const { file, render } = await csvTable(routes.db, actor, endpoint.path);
          const chunks = await routes.reads(actor, { ...endpoint, heavy: true }, (heavy) =>
            render(heavy, (db, page) =>
              handle({ ...call, query: { ...(request.query as object), ...page }, db } as unknown as Call<E>),
            ),
          );
          const sent = sendAs(reply, file).type('text/csv; charset=utf-8');
          return sent.send(Readable.from(chunks, { signal }));
        });
      }
      const proved = actor !== null && asksProof(endpoint, actor.roles, request.body);
      const answered = () =>
        proved
          ? routes.prove(endpoint, { ...call, actor }, (prove) => handle(provedAtEnd(call, prove)))
          : handle(call);
      // Writes have a separate queue, so that a revocation does not wait for reads.
      const answer = await (actor === null
        ? answered()
        : method === 'GET'
          ? routes.reads(actor, endpoint, (db) => handle({ ...call, db }))
          : routes.calls(actor, answered));
      if (versioned && answer !== undefined)
        reply.header('etag', etag((answer as { version: number }).version));
      reply.status(endpoint.status);
      const type = 'application/json; charset=utf-8';
      // For the value null, Fastify would send an empty body instead of the JSON text `null`.
      if (answer === null) return reply.type(type).serializer(String).send('null');
      if (Array.isArray(answer)) {
        const schema = endpoint.reply as unknown as z.ZodMiniArray;
        const sent = await serializeList({ schema, method, url: endpoint.path }, answer);
        return reply.type(type).serializer(String).send(sent);
      }
      return reply.send(answer);
    },
  });

  /** Runs a write in the queue of the actor's company. A write without an actor or a company runs at once. */
  function inTurn<T>({ db, queue }: Routes, actor: Actor | null, work: (tx: Tx) => Promise<T>): Promise<T> {
    const writing = () =>
      write(db, async (tx) => {
        if (actor !== null) await admitAgain(tx, actor, endpoint);
        return work(tx);
      });
    return actor === null || actor.companyId === null ? writing() : queue(actor.companyId, writing);
  }
}

/** Appends the check of password and code to each transaction of a call. If the check fails, the transaction rolls back. */
function provedAtEnd<E extends Endpoint>(call: Call<E>, prove: (tx: Tx) => Promise<void>): Call<E> {
  const write: Call<E>['write'] = (work) =>
    call.write(async (tx) => {
      const made = await work(tx);
      await prove(tx);
      return made;
    });
  return { ...call, write };
}

const plainly = async <T>(work: Promise<T>) => ({ result: await work, replayed: false });

/**
 * Checks access again within the transaction. While the call was uploaded and queued, the session may have ended, or the role may
 * have changed.
 * @throws AppError unauthorized, forbidden, second_factor_required
 */
async function admitAgain(tx: Tx, actor: Actor, endpoint: Endpoint): Promise<void> {
  admitTo(await findHolder(tx, actor.tokenHash), endpoint);
}

function claimOf(routes: Routes, endpoint: Endpoint, request: FastifyRequest): Claim | null {
  if (!isIdempotent(endpoint) || request.actor === null) return null;
  return readClaim(request.headers['idempotency-key'], {
    actor: request.actor,
    call: `${endpoint.method} ${endpoint.path} ${JSON.stringify(request.params)}`,
    body: request.body,
    encryption: routes.encryption,
  });
}

/** Returns the route options that follow from the contract, without a handler. The feed adds a streaming handler. */
export function routeOf(routes: Routes, endpoint: Endpoint) {
  routes.implemented.add(endpoint);
  const { method, path, params, query, body, reply, status, creates } = endpoint;
  return {
    method,
    url: `/api${path}`,
    // Only gateways may send compressed bodies, because decompression for unauthenticated clients would consume CPU.
    ...(endpoint.access === 'gateway' && { decompress: { requestEncodings: ['gzip' as const] } }),
    bodyLimit: needsNoToken(endpoint) ? limits.smallBody : limits.body,
    // Balancers check health every second, so these requests are not logged at the level info.
    ...(endpoint === health && routes.app.log.level === 'info' && { logLevel: 'warn' as const }),
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(reply && { response: { [status]: reply } }),
    },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      // Replies and errors are private to the caller, so no browser or proxy may cache them.
      reply.header('cache-control', 'no-store');
      // The call fails at once instead of waiting for a database that does not answer.
      if (routes.isSilent()) throw new AppError('unavailable');
      // On a full disk, calls that add entities fail. The remaining space is reserved for revocations.
      if (creates && routes.isShort()) throw new AppError('disk_full');
      request.actor = await guard(routes, endpoint, request);
      if (query !== undefined) refuseLists(request.query);
      if (!needsNoToken(endpoint)) routes.bodyBudget(request, reply);
    },
  };
}

/** Refuses a query with lists or objects. Without this check, `take[]=5` would count as an absent `take`. */
function refuseLists(query: unknown): void {
  const name = Object.keys(query ?? {}).find((each) => /[[\]]/.test(each));
  if (name !== undefined) throw new AppError('bad_input', { fields: { [name]: ['unfit'] } });
}

function needsNoToken({ access }: Endpoint): boolean {
  return access === 'public' || access === 'maybe-signed-in';
}

async function guard(routes: Routes, endpoint: Endpoint, request: FastifyRequest): Promise<Actor | null> {
  const { access } = endpoint;
  if (access === 'public') return null;
  if (access === 'gateway') {
    const given = Buffer.from(bearer(request) ?? '');
    const expected = Buffer.from(routes.gatewayKeys.feed);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new AppError('unauthorized');
    return null;
  }
  if (access === 'maybe-signed-in') return findMaybe(routes, bearer(request), request.ip);
  const actor = await findActor(routes, bearer(request), request.ip);
  admitTo(actor, endpoint);
  return actor;
}

/**
 * Finds the actor of a call that also works without a token. Returns null when the session has ended, or when
 * the actor lacks a required second factor.
 */
async function findMaybe(routes: Routes, token: string | null, address: string): Promise<Actor | null> {
  try {
    const actor = await findActor(routes, token, address);
    return actor.lacksFactor ? null : actor;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const ATTEMPTS = 3;

async function write<T>(db: Db, work: (tx: Tx) => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await committing(db, work);
  } catch (error) {
    const deadlock = error instanceof Error && 'code' in error && error.code === '40P01';
    if (deadlock && attempt < ATTEMPTS) return write(db, work, attempt + 1);
    throw error;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}
