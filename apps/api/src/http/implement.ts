import { timingSafeEqual } from 'node:crypto';
import { DEVICE_HEADER, type Endpoint, isIdempotent, type Output } from '@propusk/contract/endpoint';
import { limits } from '@propusk/contract/limits';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, admitTo } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { KeyedLimiter } from '../core/keyed-limiter.ts';
import { etag, type IfMatch, readIfMatch } from '../core/versions.ts';
import type { Db, Tx } from '../db/open.ts';
import { findHolder, type Session } from '../db/sessions.ts';
import type { Encryption } from '../encryption.ts';
import { bearer, findActor } from './authenticate.ts';
import type { Load } from './batch-loader.ts';
import type { BodyBudget } from './body-budget.ts';
import { type Claim, once, readClaim } from './idempotency.ts';

/** What a slice's routes are given. */
export interface Routes {
  readonly app: FastifyInstance;
  readonly db: Db;
  /** The open session of a token's hash. */
  readonly sessions: Load<Session>;
  readonly encryption: Encryption;
  /** Limits the writes of one company that run at once. */
  readonly queue: KeyedLimiter;
  /** Limits the reads of one person that run at once, so that connections of the pool stay free for others. */
  readonly readsOfPerson: KeyedLimiter;
  /** Bounds the memory of bodies that are being read. */
  readonly bodyBudget: BodyBudget;
  /** The gateways' bearer token. */
  readonly feedToken: string;
  /** Whether the database has fallen silent (`db/watch.ts`). */
  readonly isSilent: () => boolean;
  /** Whether the reserve of the database's disk was given up (`db/embedded/reserve.ts`). */
  readonly isShort: () => boolean;
  /** Every endpoint that was implemented, so that a forgotten one stops the start. */
  readonly implemented: Set<Endpoint>;
}

/** One call as its handler sees it: who, what, and the database. */
interface Call<E extends Endpoint> {
  /** A public call and a gateway's have no actor. */
  readonly actor: E['access'] extends 'public' | 'gateway'
    ? null
    : E['access'] extends 'maybe-signed-in'
      ? Actor | null
      : Actor;
  readonly params: Output<E['params']>;
  readonly query: Output<E['query']>;
  readonly body: Output<E['body']>;
  /** What a versioned call's entity must still be (`core/versions.ts`). */
  readonly ifMatch: IfMatch;
  /** Where the request came from, as far as TRUST_PROXY lets it be known. */
  readonly address: string;
  /** What the caller says of its browser (`User-Agent`). */
  readonly agent: string | undefined;
  /** The device mark that the caller sent (`Propusk-Device`), not read yet. */
  readonly device: string | undefined;
  /** For reading alone. */
  readonly db: Db;
  /**
   * The one place where a transaction opens. What `work` throws rolls it back; a deadlock's victim runs again. In a call
   * that takes `Idempotency-Key` it is called once, and a repeated request gets what the first one wrote.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Sets a header of the answer. */
  header(name: string, value: string): void;
}

type Handler<E extends Endpoint> = (
  call: Call<E>,
) => Promise<E['reply'] extends undefined ? void : Output<E['reply']>>;

/**
 * Binds a call of the contract to its handler: token → actor → access → parse → handler → reply parsed and stripped.
 * Access is refused before the body is read.
 */
export function implement<const E extends Endpoint>(routes: Routes, endpoint: E, handle: Handler<E>): void {
  const { method, versioned } = endpoint;
  const conditional = versioned && (method === 'PUT' || method === 'DELETE');
  routes.app.route({
    ...routeOf(routes, endpoint),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const claim = claimOf(routes, endpoint, request);
      const call = {
        actor: request.actor,
        params: request.params,
        query: request.query,
        body: request.body,
        ifMatch: conditional ? readIfMatch(request.headers['if-match']) : null,
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
      // Writes wait in their company's queue, and a revocation must not wait for reads.
      const limited = actor !== null && method === 'GET';
      const answer = await (limited ? routes.readsOfPerson(actor.userId, () => handle(call)) : handle(call));
      if (versioned && answer !== undefined)
        reply.header('etag', etag((answer as { version: number }).version));
      reply.status(endpoint.status);
      // Fastify takes null for no body at all; a reply that may be null is that word.
      if (answer === null)
        return reply.type('application/json; charset=utf-8').serializer(String).send('null');
      return reply.send(answer);
    },
  });

  /** A write of the actor's, in the turn of their company. Those of nobody, and of an admin of none, have no line. */
  function inTurn<T>({ db, queue }: Routes, actor: Actor | null, work: (tx: Tx) => Promise<T>): Promise<T> {
    const writing = () =>
      write(db, async (tx) => {
        if (actor !== null) await admitAgain(tx, actor, endpoint);
        return work(tx);
      });
    return actor === null || actor.companyId === null ? writing() : queue(actor.companyId, writing);
  }
}

const plainly = async <T>(work: Promise<T>) => ({ result: await work, replayed: false });

/**
 * The guard stood at the head of the request. The body may have come much later, and then the queue: whose session has
 * ended or whose role is gone meanwhile writes nothing.
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

/** The part of a route that the contract declares; the feed alone adds a handler that streams. */
export function routeOf(routes: Routes, endpoint: Endpoint) {
  routes.implemented.add(endpoint);
  const { method, path, params, query, body, reply, status } = endpoint;
  return {
    method,
    url: `/api${path}`,
    bodyLimit: isOpen(endpoint) ? limits.smallBody : limits.body,
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(reply && { response: { [status]: reply } }),
    },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      // What is answered is somebody's, a refusal too: neither a browser's disk nor a cache on the way keeps it.
      reply.header('cache-control', 'no-store');
      // Whoever would wait for it in vain is told at once.
      if (routes.isSilent()) throw new AppError('unavailable');
      // The rest of the disk is for revocations.
      if (status === 201 && routes.isShort()) throw new AppError('disk_full');
      request.actor = await guard(routes, endpoint, request);
      if (query !== undefined) refuseLists(request.query);
      if (!isOpen(endpoint)) routes.bodyBudget(request, reply);
    },
  };
}

/** No call takes lists or objects in its query: `take[]=5` is a mistake, and must not pass for an absent `take`. */
function refuseLists(query: unknown): void {
  const name = Object.keys(query ?? {}).find((each) => /[[\]]/.test(each));
  if (name !== undefined) throw new AppError('bad_input', { fields: { [name]: ['unfit'] } });
}

/** Whether anybody may call it. */
function isOpen({ access }: Endpoint): boolean {
  return access === 'public' || access === 'maybe-signed-in';
}

async function guard(routes: Routes, endpoint: Endpoint, request: FastifyRequest): Promise<Actor | null> {
  const { access } = endpoint;
  if (access === 'public') return null;
  if (access === 'gateway') {
    const given = Buffer.from(bearer(request) ?? '');
    const expected = Buffer.from(routes.feedToken);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new AppError('unauthorized');
    return null;
  }
  if (access === 'maybe-signed-in') return findMaybe(routes, bearer(request), request.ip);
  const actor = await findActor(routes, bearer(request), request.ip);
  admitTo(actor, endpoint);
  return actor;
}

/** A token that died is no hindrance to a call that needs none, and neither is one that opens nothing yet. */
async function findMaybe(routes: Routes, token: string | null, address: string): Promise<Actor | null> {
  try {
    const actor = await findActor(routes, token, address);
    return actor.lacksFactor ? null : actor;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const TRIES = 3;

async function write<T>(db: Db, work: (tx: Tx) => Promise<T>, tried = 1): Promise<T> {
  try {
    return await db.transaction().execute(work);
  } catch (error) {
    const deadlock = error instanceof Error && 'code' in error && error.code === '40P01';
    if (deadlock && tried < TRIES) return write(db, work, tried + 1);
    throw error;
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null;
  }
}
