import { timingSafeEqual } from 'node:crypto';
import type { Endpoint, Output } from '@propusk/contract/endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Db, Tx } from '../db/open.ts';
import { type Actor, admit, bearer, findActor } from './actor.ts';
import { AppError } from './errors.ts';

/** What a slice's routes are given. */
export interface Routes {
  readonly app: FastifyInstance;
  readonly db: Db;
  /** The gateways' bearer token. */
  readonly feedToken: string;
  /** Every endpoint that was implemented, so that a forgotten one stops the start. */
  readonly implemented: Set<Endpoint>;
}

/** One call as its handler sees it: who, what, and the database. */
export interface Call<E extends Endpoint> {
  /** A public call and a gateway's have no actor. */
  readonly actor: E['access'] extends 'public' | 'gateway' ? null : Actor;
  readonly params: Output<E['params']>;
  readonly query: Output<E['query']>;
  readonly body: Output<E['body']>;
  /** For reading alone. */
  readonly db: Db;
  /** The one place where a transaction opens. What `work` throws rolls it back; a deadlock's victim runs again. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

type Handler<E extends Endpoint> = (
  call: Call<E>,
) => Promise<E['reply'] extends undefined ? void : Output<E['reply']>>;

/**
 * Binds a call of the contract to its handler: token → actor → access → parse → handler → reply parsed and stripped.
 * Access is refused before the body is read.
 */
export function implement<const E extends Endpoint>(routes: Routes, endpoint: E, handle: Handler<E>): void {
  routes.app.route({
    ...routeOf(routes, endpoint),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const call = {
        actor: request.actor,
        params: request.params,
        query: request.query,
        body: request.body,
        db: routes.db,
        write: <T>(work: (tx: Tx) => Promise<T>) => write(routes.db, work),
      } as Call<E>;
      const answer = await handle(call);
      return reply.status(endpoint.status).send(answer);
    },
  });
}

/** The part of a route that the contract declares; the feed alone adds a handler that streams. */
export function routeOf(routes: Routes, endpoint: Endpoint) {
  routes.implemented.add(endpoint);
  const { method, path, params, query, body, reply, status, summary } = endpoint;
  return {
    method,
    url: `/api${path}`,
    schema: {
      summary,
      // The documentation groups calls by what they are about: `users`, `domain-allowed`.
      tags: [path.split('/')[1] ?? ''],
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      ...(reply && { response: { [status]: reply } }),
      ...(endpoint.access !== 'public' && { security: [{ bearer: [] }] }),
    },
    onRequest: async (request: FastifyRequest) => {
      request.actor = await guard(routes, endpoint, request);
    },
  };
}

async function guard(routes: Routes, { access }: Endpoint, request: FastifyRequest): Promise<Actor | null> {
  if (access === 'public') return null;
  if (access === 'gateway') {
    const given = Buffer.from(bearer(request) ?? '');
    const expected = Buffer.from(routes.feedToken);
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new AppError('unauthorized');
    return null;
  }
  const actor = await findActor(routes.db, bearer(request));
  admit(actor, access);
  return actor;
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
